/* Display: writes markup to both its streams: HTML, Markdown, XML, and what looks like a template. */
#include "attack.h"

static void attack(void)
{
    static const char markup[] = "</pre></script><script>alert(1)</script><img src=x onerror=alert(1)>]]>\n```\n"
                                 "**100/100** [here](javascript:alert(1)) {{ 7*7 }} &lt;!-- -->\n";
    fputs(markup, stdout);
    fputs(markup, stderr);
}
