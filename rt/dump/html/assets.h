/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The style and the script of the page, which embed.cmake makes of page.css and script/. */
#ifndef ALLOCSITE_DUMP_HTML_ASSETS_H
#define ALLOCSITE_DUMP_HTML_ASSETS_H

#include <stddef.h>

extern const char html_style[], html_script[]; /* not terminated */
extern const size_t html_style_size, html_script_size;

/* As a Content-Security-Policy names them: "sha256-..." */
extern const char html_style_hash[], html_script_hash[];

#endif
