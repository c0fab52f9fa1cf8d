static void act(void)
{
    for (;;)
        ;
}
