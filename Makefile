# Thin: everything is done by tools/, which needs no make.
PREFIX ?= /usr/local
DESTDIR ?=

.PHONY: run test install bench format lint clean

run:
	@tools/run

test:
	@tools/test

install:
	@tools/setup
	@tools/build
	DESTDIR=$(DESTDIR) cmake --install build --prefix $(PREFIX)

bench:
	@tools/bench

format:
	@tools/format

lint:
	@tools/lint

clean:
	rm -rf build
