# The front door. `make` alone prints what there is.
MAKEFLAGS += --no-print-directory
BUILD ?= build
RESULTS ?= results
PREFIX ?= /usr/local
SECONDS ?= 600
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
DEMO ?= $(firstword $(wildcard examples/weight-release.yaml examples/cantilever.yaml))

# One more than processors: some tests wait, for a clock or for one another.
CTEST = ctest --output-on-failure --parallel $$(($(JOBS) + 1))
TENDRIL = $(BUILD)/tendril
SOURCES = git ls-files '*.c' '*.h' '*.cpp'

.PHONY: help deps build page page-static page-static-test octave octave-test demo test test-all sanitize sanitize-clang sanitize-threads clang coverage core fuzz bounces contact robots experiments estimates view-load bench papers \
        pictures install deb tarball wheel octave-package packages-test format format-check clean gpu gpu-pack gpu-test

help:  ## this list
	@echo "Tendril: mechanics of continuum and soft robots. Targets:"
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/    make \1 \2/p' $(MAKEFILE_LIST) | \
	    awk '{ printf "    make %-14s", $$2; for (i = 3; i <= NF; i++) printf " %s", $$i; print "" }'

deps:  ## install the Debian packages that are missing (needs root or sudo for that)
	@bash scripts/deps build more page python test

# A first build leaves out the tests, which need more packages, and the benchmarks; a tree that has them keeps them.
build:  ## build the libraries and the program, build/tendril
	@bash scripts/deps build
	cmake -S . -B $(BUILD) $(if $(wildcard $(BUILD)/CMakeCache.txt),,-DTENDRIL_TESTS=OFF -DTENDRIL_BENCH=OFF)
	cmake --build $(BUILD) --parallel $(JOBS)

page:  ## build the page of tendril view, viewer/dist
	@bash scripts/deps page
	bash scripts/build-page

WASM = build-wasm
STATIC ?= $(RESULTS)/page

page-static:  ## the page without a server, the library compiled to WebAssembly: results/page, for any web server
	@bash scripts/deps page static
	bash scripts/wasm-parts $(WASM)/parts
	PKG_CONFIG_LIBDIR=$(abspath $(WASM))/parts/lib/pkgconfig emcmake cmake -S . -B $(WASM) -DTENDRIL_PROGRAM=OFF -DTENDRIL_SUNDIALS=OFF \
	    -DTENDRIL_TESTS=OFF -DTENDRIL_BENCH=OFF -DTENDRIL_HARDEN=OFF -DTENDRIL_WIDE=OFF -DTENDRIL_WERROR=OFF >$(WASM)/configure.log 2>&1 \
	    || { cat $(WASM)/configure.log; exit 1; }
	NODE_PATH=/usr/share/nodejs cmake --build $(WASM) --parallel $(JOBS) --target tendril_page
	bash scripts/build-page
	cd viewer && node build.mjs --static $(abspath $(WASM)) $(abspath $(STATIC))
	@echo "page: $(STATIC)/index.html, for instance by: python3 -m http.server --directory $(STATIC)"

page-static-test: build page-static  ## that page in Chromium, against the program
	cd viewer && TENDRIL=$(abspath $(TENDRIL)) STATIC=$(abspath $(STATIC)) node --test test/static.test.mjs

octave: build  ## the package for Octave: build/octave, with tendril_mex and +tendril
	@bash scripts/deps octave
	bash scripts/build-octave $(BUILD)

octave-test: octave  ## that package against closed forms and the program
	bash tests/octave/run . "source('$(abspath $(BUILD))/octave/setup.m')" $(abspath $(TENDRIL))

demo: build  ## simulate an example and draw it
	$(TENDRIL) run $(DEMO) --out $(RESULTS)/demo
	$(TENDRIL) plot $(RESULTS)/demo --out $(RESULTS)/demo.png
	@echo "results: $(RESULTS)/demo    picture: $(RESULTS)/demo.png"

test: deps  ## every test, with a clang and a sanitizer build among them
	cmake -S . -B $(BUILD) -DTENDRIL_TESTS=ON -DTENDRIL_BENCH=ON
	cmake --build $(BUILD) --parallel $(JOBS)
	cd $(BUILD) && $(CTEST)

test-all: test sanitize sanitize-clang sanitize-threads clang core  ## the above, all trees in full, gcc and clang

sanitize: deps  ## all tests under AddressSanitizer and UBSan (gcc)
	cmake --preset asan
	cmake --build build-asan --parallel $(JOBS)
	cd build-asan && $(CTEST)

sanitize-clang: deps  ## the same with clang
	@bash scripts/deps fuzz
	cmake --preset clang-asan
	cmake --build build-clang-asan --parallel $(JOBS)
	cd build-clang-asan && $(CTEST)

THREADED = test_pool test_threads test_batch test_view_live test_view_modes test_view_trouble test_view_server test_collocation_contract test_assembly_contract
one = $(subst $() ,|,$(strip $(1)))

sanitize-threads: deps  ## what has threads under ThreadSanitizer
	cmake --preset tsan
	cmake --build build-tsan --parallel $(JOBS) --target $(THREADED)
	cd build-tsan && $(CTEST) -R '^($(call one,$(THREADED)))$$'

clang: deps  ## all tests with clang, warnings as errors
	cmake --preset clang
	cmake --build build-clang --parallel $(JOBS)
	cd build-clang && $(CTEST)

coverage: deps  ## which lines the tests run: a table, and results/coverage/index.html
	@bash scripts/deps coverage
	cmake --preset coverage
	cmake --build build-coverage --parallel $(JOBS)
	cd build-coverage && $(CTEST)
	@mkdir -p $(RESULTS)/coverage
	gcovr --root . --filter src/ --object-directory build-coverage --html-details $(RESULTS)/coverage/index.html --print-summary

core: deps  ## the library without the file reader: libm, LAPACK and cminpack only
	cmake --preset core
	cmake --build build-core --parallel $(JOBS)

# libfyaml 0.7.12 forgets a buffer of its own where a quoted text has very many quotes in it.
fuzz:  ## feed broken files, messages of pages and packets to their readers, for SECONDS=600
	@bash scripts/deps build fuzz
	@mkdir -p $(RESULTS)/fuzz && echo leak:libfyaml > $(RESULTS)/fuzz/leaks.txt
	LSAN_OPTIONS=suppressions=$(abspath $(RESULTS))/fuzz/leaks.txt:print_suppressions=0 \
	    sh tests/fuzz/run.sh $(SECONDS) $(abspath $(RESULTS))/fuzz
	sh tests/fuzz/run.sh $$(($(SECONDS) / 10 + 1)) $(abspath $(RESULTS))/fuzz message
	sh tests/fuzz/run.sh $$(($(SECONDS) / 10 + 1)) $(abspath $(RESULTS))/fuzz packet

bounces: build  ## 100000 random bounces, whose energy must not grow: half an hour
	cmake -S . -B $(BUILD) -DTENDRIL_TESTS=ON
	cmake --build $(BUILD) --parallel $(JOBS) --target test_contact_bounces
	$(BUILD)/tests/test_contact_bounces 100000

contact: build  ## 3000 random robots among obstacles, and a plectoneme of 50 elements: ten minutes
	cmake -S . -B $(BUILD) -DTENDRIL_TESTS=ON
	cmake --build $(BUILD) --parallel $(JOBS) --target test_contact_random test_contact_ring
	$(BUILD)/tests/test_contact_ring 50
	$(BUILD)/tests/test_contact_random 3000

robots: build  ## 100000 random robots and inputs in lanes, against states and alone: ten minutes
	cmake -S . -B $(BUILD) -DTENDRIL_TESTS=ON
	cmake --build $(BUILD) --parallel $(JOBS) --target test_batch_random
	$(BUILD)/tests/test_batch_random 100000

experiments: build  ## 1000 synthetic experiments: do intervals of fits hold the truth as often as they say?
	cmake -S . -B $(BUILD) -DTENDRIL_TESTS=ON
	cmake --build $(BUILD) --parallel $(JOBS) --target test_fit_coverage
	$(BUILD)/tests/test_fit_coverage 1000

estimates: build  ## 1000 runs of an estimator: are its errors as large as it says?
	cmake -S . -B $(BUILD) -DTENDRIL_TESTS=ON
	cmake --build $(BUILD) --parallel $(JOBS) --target test_estimator
	TENDRIL_TEST_LONG=1 $(BUILD)/tests/test_estimator

view-load: SECONDS = 60
view-load: build page  ## 50 viewers of one page, one that never reads, random use for SECONDS=60 (3600: an hour): does memory grow?
	TENDRIL=$(abspath $(TENDRIL)) node viewer/test/load.mjs $(SECONDS)

bench: SHELL = bash
bench: .SHELLFLAGS = -o pipefail -c  # a benchmark that fails writes no table
bench: build  ## speed and accuracy on this machine; writes the tables of the documents
	cmake -S . -B $(BUILD) -DTENDRIL_BENCH=ON
	cmake --build $(BUILD) --parallel $(JOBS)
	@mkdir -p $(RESULTS)/bench
	@for program in $(BUILD)/bench/bench_*; do \
	    [ ! -f $$program ] || [ ! -x $$program ] || \
	    { echo; echo "$$program"; $$program | tee $(RESULTS)/bench/$$(basename $$program).csv; } || exit 1; done
	@! command -v chromium >/dev/null || [ ! -d viewer/node_modules ] || \
	    TENDRIL=$(TENDRIL) node bench/bench_page.mjs | tee $(RESULTS)/bench/bench_page.csv
	bash scripts/bench-tables $(RESULTS)/bench docs/performance.md docs/gradients.md docs/studies.md docs/models/cosserat.md

NVCC ?= $(firstword $(shell command -v nvcc) /usr/local/cuda/bin/nvcc)
GPU_ARCH ?= sm_90

GPU_COMPILE = $(NVCC) -O3 -arch=$(GPU_ARCH) -std=c++17 --shared -Xcompiler -fPIC -Isrc -o
GPU_SOURCES = src/model/cosserat/lanes/gpu.cu src/model/cosserat/lanes/gpu_each.cu

gpu:  ## the libraries that batches on a GPU load, in double and in single precision, with nvcc: build/libtendril_gpu*.so
	@mkdir -p $(BUILD)
	$(GPU_COMPILE) $(BUILD)/libtendril_gpu.so $(GPU_SOURCES)
	$(GPU_COMPILE) $(BUILD)/libtendril_gpu_float.so -DLANE_FLOAT $(GPU_SOURCES)

GPU_PACK = $(BUILD)/gpu
GPU_ROBOTS ?= 262144
GPU_TOLERANCE ?= 1e-11

$(GPU_PACK)/compare_gpu:
	cmake -S . -B $(BUILD) -DTENDRIL_TESTS=ON
	cmake --build $(BUILD) --parallel $(JOBS) --target compare_gpu
	bash scripts/gpu-pack $(BUILD)/tests/gpu/compare_gpu $(GPU_PACK)

gpu-pack:  ## what gpu-test runs, with its libraries, in build/gpu: for a machine that has nvcc and not the packages
	rm -rf $(GPU_PACK)
	@$(MAKE) $(GPU_PACK)/compare_gpu

gpu-test: gpu $(GPU_PACK)/compare_gpu  ## robots on the GPU against the processor, and their speed; takes what gpu-pack packed
	LD_LIBRARY_PATH=$(GPU_PACK) $(GPU_PACK)/compare_gpu $(abspath $(BUILD))/libtendril_gpu.so \
	    $(GPU_ROBOTS) $(GPU_TOLERANCE) $(JOBS)
	LD_LIBRARY_PATH=$(GPU_PACK) $(GPU_PACK)/compare_gpu $(abspath $(BUILD))/libtendril_gpu_float.so \
	    $(GPU_ROBOTS) $(GPU_TOLERANCE) $(JOBS) 200 float

papers: build  ## the long reproductions of the source papers
	@for paper in till2019 orekhov2020 rone2014 sadati2019 liu2020; do \
	    $(TENDRIL) paper $$paper --full --out $(RESULTS)/papers/$$paper || exit 1; done

pictures: build  ## draw every picture of the documents again
	@bash scripts/deps optional
	bash scripts/make-pictures $(BUILD)

PACKED = $(RESULTS)/packages

deb: page  ## Debian packages, source and binary, looked at by lintian: results/packages
	@bash scripts/deps build more python packages
	bash scripts/make-deb $(PACKED)

tarball: page  ## the program and the library with all that they need, as a folder that runs from anywhere: results/packages
	@bash scripts/deps build more
	JOBS=$(JOBS) bash scripts/make-tarball $(PACKED)

wheel:  ## the Python package as a wheel and a source distribution, without the network: results/packages
	@bash scripts/deps build more python
	JOBS=$(JOBS) bash scripts/make-wheel $(PACKED)

octave-package:  ## the package for Octave as an archive for pkg install: results/packages
	bash scripts/make-octave $(PACKED)

packages-test: deb tarball wheel octave-package  ## each of these, and a clone, in a fresh chroot, where the guides are run; needs root and the network
	@bash scripts/deps packages
	JOBS=$(JOBS) bash scripts/test-packages $(PACKED)

install: build page  ## install to PREFIX=/usr/local
	cmake --install $(BUILD) --prefix $(PREFIX)
	@[ -n "$(DESTDIR)" ] || [ "$$(id -u)" != 0 ] || ldconfig

format:  ## format all C sources with clang-format
	@bash scripts/deps test
	$(SOURCES) | xargs clang-format -i

format-check:  ## fail when a C source is not formatted
	@bash scripts/deps test
	bash scripts/check-format

clean:  ## remove all build folders
	rm -rf $(BUILD) build-asan build-clang build-clang-asan build-tsan build-coverage build-core build-debug $(WASM) viewer/dist viewer/node_modules
