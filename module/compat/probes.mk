# SPDX-License-Identifier: GPL-2.0-only
#
# $(call probe,NAME,MACRO) is -DMACRO if module/compat/probe/NAME.c compiles with the
# flags of a kernel module, else nothing. A Kbuild file sets probe-dir to that folder
# and then includes this file.

probe-cc = $(CC) -Wp,-MMD,/dev/null $(LINUXINCLUDE) $(KBUILD_CPPFLAGS) \
	   $(KBUILD_CFLAGS) $(KBUILD_CFLAGS_MODULE) -Werror -DMODULE \
	   -DKBUILD_MODNAME='"probe"' -DKBUILD_BASENAME='"probe"' \
	   -fsyntax-only
probe-quote := '
probe-quoted = '$(subst $(probe-quote),'\'',$(probe-cc))'

# kbuild reads this file several times. CC is usable only when kbuild builds.
ifneq ($(KBUILD_CFLAGS),)
probes := $(shell CC='$(CC)' PROBE_CC=$(probe-quoted) sh $(probe-dir)/../run-probes $(objtree))
ifeq ($(filter sanity,$(probes)),)
$(error probe sanity.c does not compile: $(shell $(probe-cc) $(probe-dir)/sanity.c 2>&1 | head -n 5))
endif
endif

probe = $(if $(filter $(1),$(probes)),-D$(2))
