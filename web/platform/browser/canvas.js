// The canvas element: its exact size in device pixels, a lost context, the mouse pointer's shape.
mergeInto(LibraryManager.library, {
  $canvas__deps: [],
  $canvas: function() { return document.getElementById('canvas'); },

  // Gives the keys to the canvas without the step to its first item that Tab makes (keys.js).
  $focusCanvas__deps: ['$canvas', '$loop'],
  $focusCanvas: function() {
    loop.quietFocus = true;
    canvas().focus({preventScroll: true});
    loop.quietFocus = false;
  },

  // SDL would make it a point to see what styles do with it, and then as large as its window; resizeCanvas() knows better.
  emscripten_set_canvas_element_size: function() { return 0; },

  $resizeCanvas__deps: ['$canvas', '$drawNow', '$whenDrawn'],
  $resizeCanvas: function(width, height) {
    var element = canvas();
    if (width > 0 && height > 0) {
      whenDrawn(function() {
        if (element.width !== width) element.width = width;
        if (element.height !== height) element.height = height;
        _browser_resized(width, height, devicePixelRatio);
        drawNow();  // a resized canvas is blank until it is drawn, and the browser paints right after this
      });
    }
  },

  $listenCanvas__deps: ['$canvas', '$resizeCanvas', '$loop', '$wake', '$expectFrames'],
  $listenCanvas: function() {
    var element = canvas();

    // Where the browser tells device pixels (Chromium, Firefox), they are exact at every zoom. Elsewhere they are
    // rounded from CSS pixels, and a change of the ratio alone has to be watched for (2026-11, Safari has no
    // device-pixel-content-box: https://bugs.webkit.org/show_bug.cgi?id=219005). Chromium's emulation of a phone tells
    // the pixels of the real screen: what is not within a pixel of the ratio is not believed.
    var rounded = function() {
      var box = element.getBoundingClientRect();
      resizeCanvas(Math.round(box.width * devicePixelRatio), Math.round(box.height * devicePixelRatio));
    };
    var observer = new ResizeObserver(function(entries) {
      var exact = entries[entries.length - 1].devicePixelContentBoxSize;
      var near = exact && Math.abs(exact[0].inlineSize - element.clientWidth * devicePixelRatio) < 1.5;
      if (near) resizeCanvas(exact[0].inlineSize, exact[0].blockSize); else rounded();
    });
    try {
      observer.observe(element, {box: 'device-pixel-content-box'});
    } catch (unsupported) {
      observer.observe(element);
      var watchRatio = function() {
        matchMedia('(resolution: ' + devicePixelRatio + 'dppx)').addEventListener('change', function() {
          rounded();
          watchRatio();
        }, {once: true});
      };
      watchRatio();
    }
    rounded();

    element.addEventListener('webglcontextlost', function(event) {
      event.preventDefault();  // otherwise it is never given back
      loop.lost = true;
      expectFrames();
    });
    element.addEventListener('webglcontextrestored', function() {
      loop.lost = false;
      document.documentElement.classList.remove('undrawn');  // the way back from the text version
      _browser_context_restored();
      wake(3);
    });
  },

  js_cursor__deps: ['$canvas'],
  js_cursor: function(cursor) {
    // In the order of ImGuiMouseCursor_, which begins with -1 (none).
    var shapes = ['none', 'default', 'text', 'move', 'ns-resize', 'ew-resize', 'nesw-resize', 'nwse-resize', 'pointer',
                  'wait', 'progress', 'not-allowed'];
    canvas().style.cursor = shapes[cursor + 1] || 'default';
  },
});
