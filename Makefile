# The short names; .ci/run does the work. Each target installs what is missing first.
#   make demo     the main job: edge detection and a blur on a photograph, on every backend found
#   make test     build release and run every suite in its short form
#   make stress   the long forms
#   make wheel    what pip installs: the wheel and the source distribution in build/dist, tried in empty environments
.PHONY: demo test stress build wheel setup clean

demo: ; @.ci/run setup library demo
test: ; @.ci/run setup build suites
stress: ; @.ci/run setup build stress
build: ; @.ci/run setup build
wheel: ; @.ci/run setup wheel
setup: ; @.ci/run setup
clean: ; rm -rf build/dev build/release build/asan build/tsan build/check build/wheel build/python build/dist
