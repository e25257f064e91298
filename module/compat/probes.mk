# SPDX-License-Identifier: GPL-2.0-only
#
# $(call probe,NAME,MACRO) is -DMACRO if module/compat/probe/NAME.c compiles as
# a kernel module's source would, else nothing. Included by Kbuild files with
# probe-dir set to that folder.

probe-cc = $(CC) -Wp,-MMD,/dev/null $(LINUXINCLUDE) $(KBUILD_CPPFLAGS) \
	   $(KBUILD_CFLAGS) $(KBUILD_CFLAGS_MODULE) -Werror -DMODULE \
	   -DKBUILD_MODNAME='"probe"' -DKBUILD_BASENAME='"probe"' \
	   -fsyntax-only $(probe-dir)/$(1).c
probe-ok = $(shell $(probe-cc) >/dev/null 2>&1 && echo y)
probe = $(if $(probe-ok),-D$(2))

# kbuild reads this file several times; only when it builds is CC of use.
ifneq ($(KBUILD_CFLAGS),)
ifneq ($(call probe-ok,sanity),y)
$(error probe sanity.c does not compile: $(shell $(call probe-cc,sanity) 2>&1 | head -n 5))
endif
endif
