package device

/*
#cgo LDFLAGS: -ldl -lpthread
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

typedef void handler(const char *file, int line, const char *function, int err, const char *fmt, ...);

static void quiet(const char *file, int line, const char *function, int err, const char *fmt, ...)
{
	(void)file; (void)line; (void)function; (void)err; (void)fmt;
}

// quiet_library loads the library and takes its voice. It stays loaded, for its
// handler would be forgotten with it.
static int quiet_library(const char *name, char *why, size_t size)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	void *lib;
	int (*set_handler)(handler *);

	pthread_mutex_lock(&mutex);
	lib = dlopen(name, RTLD_NOW | RTLD_NODELETE);
	if (lib) {
		*(void **)&set_handler = dlsym(lib, "snd_lib_error_set_handler");
		if (set_handler)
			set_handler(quiet);
		dlclose(lib);
	} else {
		const char *text = dlerror();
		snprintf(why, size, "%s", text ? text : "unknown reason");
	}
	pthread_mutex_unlock(&mutex);
	return lib ? 0 : -1;
}
*/
import "C"

import (
	"bytes"
	"fmt"
	"os"
	"unsafe"
)

const libraryName = "libasound.so.2"

// loadLibrary looks whether ALSA's library is there, which miniaudio would load
// without a word about what is missing. It also stops the library from writing
// several lines to stderr for each failed opening: the error that it returns is
// reported once.
func loadLibrary(name string) error {
	cname := append([]byte(name), 0)
	var why [256]byte
	if C.quiet_library((*C.char)(unsafe.Pointer(&cname[0])), (*C.char)(unsafe.Pointer(&why[0])),
		C.size_t(len(why))) != 0 {
		return fmt.Errorf("load ALSA's library (Debian package libasound2, from Debian 13 on libasound2t64): %s",
			C.GoString((*C.char)(unsafe.Pointer(&why[0]))))
	}
	return nil
}

// soundServer reports whether an open device belongs, or may belong, to a sound server: ALSA has
// loaded such a plugin.
func soundServer() bool {
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return true // it may be
	}
	for _, plugin := range []string{"pulse", "pipewire", "jack", "bluealsa"} {
		if bytes.Contains(maps, []byte("libasound_module_pcm_"+plugin+".so")) {
			return true
		}
	}
	return false
}
