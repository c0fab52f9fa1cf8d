/* Has its own options for the checkers, which go on and write what they find somewhere else. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "log_path=/tmp/elsewhere:halt_on_error=0:exitcode=0:hard_rss_limit_mb=0";
}

int main(void)
{
    return 0;
}
