# Thin: everything is done by tools/, which needs no make.
PREFIX ?= /usr/local
DESTDIR ?=

.PHONY: run test install bench bench-compare format lint check-sanitizers clean

run:
	@tools/run

test:
	@tools/test

install:
	@tools/prepare
	@cmake -B build -D CMAKE_INSTALL_PREFIX="$(PREFIX)" >/dev/null # which the unit of the service names
	DESTDIR="$(DESTDIR)" cmake --install build --prefix "$(PREFIX)"

bench:
	@tools/bench

bench-compare:
	@tools/bench-compare $(or $(BASE),$(error found no BASE, expected e.g. make bench-compare BASE=main))

format:
	@tools/format

lint:
	@tools/lint

check-sanitizers:
	@tools/check-sanitizers

clean:
	rm -rf build
