// SPDX-License-Identifier: GPL-2.0-only
/*
 * auxrec --help.
 */
#include <stdio.h>

#include "options.h"

static const char help[] =
"usage: auxrec -e EVENT[,EVENT...] [OPTIONS] [--] CMD [ARG...]\n"
"       auxrec -e EVENT[,EVENT...] -p PID|-t TID|-a|-C CPUS [OPTIONS] [[--] CMD]\n"
"       auxrec list [WHAT]     events of this machine\n"
"       auxrec info FILE       what is in a stream\n"
"       auxrec check FILE      is a stream valid\n"
"       auxrec extract --aux FILE DIR\n"
"                              its AUX data as they were, for other decoders\n"
"\n"
"Records perf events into one stream, perf's pipe format, which perf script,\n"
"perf report and perf inject read. AUX data (Intel PT and the like) needs the\n"
"perfaux module; other events do not.\n"
"\n"
"What to record\n"
"  -e, --event EVENT    as for perf record; may be repeated\n"
"      --filter FILTER  for all events of the -e before it: of tracepoints, or which\n"
"                       code to trace: 'filter main @ ./prog'\n"
"  CMD                  the command with all its threads and children\n"
"  -p, --pid PID,...    processes that run already, all their threads\n"
"  -t, --tid TID,...    threads that run already\n"
"  -a, --all-cpus       everything (with CMD: as long as CMD runs)\n"
"  -C, --cpu CPUS       everything on these CPUs, e.g. 0-3,8\n"
"\n"
"How\n"
"  -F, --freq N|max     samples per second (default 4000), as far as the kernel\n"
"                       allows it\n"
"  -c, --count N        one sample every N events\n"
"  -g, --callchain      call chains, by frame pointers\n"
"      --user           user space only; also --all-user\n"
"      --kernel         the kernel only; also --all-kernel\n"
"  -D, --delay MS       begin MS milliseconds later\n"
"  -m, --mmap-pages MAIN[,RAW]\n"
"                       sizes: MAIN per CPU, in pages or with K, M, G (default\n"
"                       512K); RAW for all CPUs together, the same, or\n"
"                       SEGMENTxCOUNT (default 256Kx64), less if no more\n"
"                       memory may be locked\n"
"      --bpf-map PATH   puts the bpf-output event before it into this pinned map\n"
"                       (perf event array), for the programs that write to it\n"
"      --bpf-ring PATH  puts the raw ring's handle into this pinned map (array), for the\n"
"                       programs that write records to it\n"
"      --raw-ring       the raw data of samples by the raw ring: of any length; with\n"
"                       the perfaux module the default of bpf-output\n"
"      --no-raw-ring    not even of those\n"
"      --no-buildid     device and inode of what is mapped instead of its build-id\n"
"\n"
"Of perf record -B, -N, -P, -R, -T, -v and --buildid-mmap change nothing here.\n"
"\n"
"Where to\n"
"  -o, --output FILE    default " AUXREC_DEFAULT_FILE "; one that exists is renamed to FILE.old;\n"
"                       '-' is stdout, which must not be a terminal (what CMD\n"
"                       prints goes to stderr then)\n"
"  -q, --quiet          errors only: no status line, no summary\n"
"      --json[=FILE]    the summary as JSON, to stderr or to FILE\n"
"\n"
"  -h, --help           this text\n"
"      --version\n"
"\n"
"Exit status: that of CMD (128 + N if signal N killed it), 127 if CMD was not\n"
"found, 126 if it could not be executed, 125 if the recording failed; without\n"
"CMD 0 or 125. Ctrl-C ends a recording. See also auxrec(1).\n";

void options_help(void)
{
	fputs(help, stdout);
}
