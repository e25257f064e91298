# SPDX-License-Identifier: GPL-2.0-only
#
# Install, uninstall, releases and packages. The top Makefile includes this file.

BINDIR	      ?= $(PREFIX)/bin
INCLUDEDIR    ?= $(PREFIX)/include
LIBDIR	      ?= $(PREFIX)/lib
MANDIR	      ?= $(PREFIX)/share/man
COMPLETIONDIR ?= $(PREFIX)/share/bash-completion/completions
EXAMPLEDIR    ?= $(PREFIX)/share/doc/auxrec/examples
UNITDIR	      ?= $(PREFIX)/lib/systemd/system
UDEVDIR	      ?= $(PREFIX)/lib/udev/rules.d
EXAMPLES      := $(wildcard packaging/examples/*)
MAN_PAGES     := $(wildcard Documentation/man/*.[1-8])

.PHONY: install install-tool install-view install-lib install-modules uninstall release deb lint-deb clean-deb rpm

install: install-tool install-view install-lib install-modules

# Other users must be able to read what is installed, whatever the umask is.
install-tool: tool
	install -D -m 755 $(AUXREC) $(DESTDIR)$(BINDIR)/auxrec
	set -e; for page in $(MAN_PAGES); do \
		to=$(DESTDIR)$(MANDIR)/man$${page##*.}/$${page##*/}; \
		install -D -m 644 $$page $$to; \
		Documentation/man/flatten $$page >$$to; \
	done
	install -D -m 644 packaging/auxrec.bash $(DESTDIR)$(COMPLETIONDIR)/auxrec
	install -d $(DESTDIR)$(UNITDIR) $(DESTDIR)/etc/default
	@# A service without CAP_CHOWN can give its socket to a group of its own only.
	sed -e 's|/usr/local/bin/|$(BINDIR)/|' \
		$(if $(DEVICE_GROUP),-e 's|^UMask=|SupplementaryGroups=$(DEVICE_GROUP)\n&|') \
		packaging/auxrec-flight.service \
		>$(DESTDIR)$(UNITDIR)/auxrec-flight.service
	chmod 644 $(DESTDIR)$(UNITDIR)/auxrec-flight.service
	install -d $(DESTDIR)$(EXAMPLEDIR)
	set -e; for example in $(EXAMPLES); do \
		to=$(DESTDIR)$(EXAMPLEDIR)/$${example##*/}; \
		sed 's|/usr/local/bin/|$(BINDIR)/|' $$example >$$to; \
		chmod 644 $$to; \
	done
	@# The administrator decides what the service records, so keep a file that exists.
	test -e $(DESTDIR)/etc/default/auxrec-flight || install -m 644 \
		packaging/auxrec-flight.default $(DESTDIR)/etc/default/auxrec-flight
	@# The administrator decides who may use the device. Without DEVICE_GROUP, everybody may.
	@if test -n "$(DEVICE_GROUP)"; then \
		install -d $(DESTDIR)$(UDEVDIR); \
		sed 's|GROUP="perf_users"|GROUP="$(DEVICE_GROUP)"|' packaging/60-perfaux.rules \
			>$(DESTDIR)$(UDEVDIR)/60-perfaux.rules && \
		chmod 644 $(DESTDIR)$(UDEVDIR)/60-perfaux.rules; \
	fi

# This is a target of its own, because the recorder works without auxview.
install-view: tool
	install -D -m 755 $(AUXVIEW) $(DESTDIR)$(BINDIR)/auxview

install-lib: tool
	install -D -m 644 uapi/perfaux.h $(DESTDIR)$(INCLUDEDIR)/linux/perfaux.h
	install -D -m 644 $(AUXSTREAM) $(DESTDIR)$(LIBDIR)/libauxstream.a
	install -D -m 644 tool/auxstream/auxstream.h $(DESTDIR)$(INCLUDEDIR)/auxstream.h
	install -d $(DESTDIR)$(LIBDIR)/pkgconfig
	read -r version commit <$(BUILD)/.version && \
	sed -e 's|^prefix=.*|prefix=$(PREFIX)|' \
		-e 's|@LIBDIR@|$(patsubst $(PREFIX)/%,$${prefix}/%,$(LIBDIR))|' \
		-e "s|@VERSION@|$$version|" packaging/auxstream.pc \
		>$(DESTDIR)$(LIBDIR)/pkgconfig/auxstream.pc
	chmod 644 $(DESTDIR)$(LIBDIR)/pkgconfig/auxstream.pc

install-modules:
	@if test -e perfaux.ko; then \
		release=$$(modinfo -F vermagic perfaux.ko | cut -d' ' -f1); \
		for ko in perfaux.ko softpt.ko; do \
			test -e $$ko || continue; \
			install -D -m 644 $$ko \
				"$(DESTDIR)/lib/modules/$$release/updates/$$ko" || exit; \
		done; \
		test -n "$(DESTDIR)" || depmod "$$release"; \
	else \
		echo "no perfaux.ko here: make module first, to install it too"; \
	fi

# Remove the files that `make install` with the same variables has installed, for all kernels.
# /etc/default/auxrec-flight stays if somebody has changed it.
uninstall:
	rm -f $(DESTDIR)$(BINDIR)/auxrec $(DESTDIR)$(BINDIR)/auxview $(DESTDIR)$(COMPLETIONDIR)/auxrec \
		$(DESTDIR)$(UNITDIR)/auxrec-flight.service $(DESTDIR)$(UDEVDIR)/60-perfaux.rules \
		$(DESTDIR)$(INCLUDEDIR)/linux/perfaux.h $(DESTDIR)$(INCLUDEDIR)/auxstream.h \
		$(DESTDIR)$(LIBDIR)/libauxstream.a $(DESTDIR)$(LIBDIR)/pkgconfig/auxstream.pc \
		$(addprefix $(DESTDIR)$(EXAMPLEDIR)/,$(notdir $(EXAMPLES))) \
		$(foreach page,$(notdir $(MAN_PAGES)),$(DESTDIR)$(MANDIR)/man$(patsubst .%,%,$(suffix $(page)))/$(page))
	@! cmp -s packaging/auxrec-flight.default $(DESTDIR)/etc/default/auxrec-flight || \
		rm -f $(DESTDIR)/etc/default/auxrec-flight
	@for ko in "$(DESTDIR)"/lib/modules/*/updates/perfaux.ko \
			"$(DESTDIR)"/lib/modules/*/updates/softpt.ko; do \
		test -e "$$ko" || continue; \
		rm -f "$$ko"; \
		release=$${ko%/updates/*}; \
		rmdir --ignore-fail-on-non-empty "$${ko%/*}"; \
		test -n "$(DESTDIR)" || depmod "$${release##*/}"; \
	done

release:
	$(Q)packaging/release $(BUILD)/release

deb:
	$(Q)packaging/deb $(BUILD)/deb

lint-deb:
	$(Q)lintian --fail-on error,warning --info --display-info \
		$(BUILD)/deb/*_$$(dpkg --print-architecture).changes

clean-deb:
	$(Q)packaging/clean-deb $(BUILD)/deb/clean

rpm:
	$(Q)packaging/rpm $(BUILD)/rpm
