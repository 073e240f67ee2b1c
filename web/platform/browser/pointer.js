// Pointer events of the canvas; pointer.cpp says what a finger means.
mergeInto(LibraryManager.library, {
  $listenPointer__deps: ['$canvas', '$drawNow', '$wake', '$whenDrawn', '$leaveEntry', '$entry', '$focusCanvas'],
  $listenPointer: function() {
    var element = canvas();
    var buttons = [0, 2, 1];  // the DOM's left, middle, right in ImGui's order
    var finger = -1;          // the one touch that counts
    var press = null;         // where the mouse went down, and the text entry of that moment

    var isFinger = function(event) { return event.pointerType === 'touch'; };

    // Inside the event handler: browsers allow copying, saving and soft keyboards only there.
    element.addEventListener('pointerdown', function(event) {
      press = {x: event.clientX, y: event.clientY, entry: entry.serial};
      if (isFinger(event)) {
        if (finger >= 0) return;
        finger = event.pointerId;
        _browser_touch_started(event.clientX, event.clientY, event.timeStamp);
      } else {
        if (!(event.button in buttons)) return;
        element.setPointerCapture(event.pointerId);
        _browser_mouse_moved(event.clientX, event.clientY);
        _browser_mouse_button(buttons[event.button], 1);
      }
      drawNow();
    });

    element.addEventListener('pointermove', function(event) {
      if (isFinger(event)) {
        if (event.pointerId !== finger) return;
        if (_browser_touch_may_drag(event.clientX, event.clientY)) {
          drawNow();
          _browser_touch_decided();
        }
        _browser_touch_moved(event.clientX, event.clientY, event.timeStamp);
      } else {
        _browser_mouse_moved(event.clientX, event.clientY);
      }
      wake(3);
    });

    element.addEventListener('pointerup', function(event) {
      var click = press && Math.hypot(event.clientX - press.x, event.clientY - press.y) <= 8;
      if (isFinger(event)) {
        if (event.pointerId !== finger) return;
        finger = -1;
        click = _browser_touch_ended(event.timeStamp);
      } else {
        if (!(event.button in buttons)) return;
        _browser_mouse_moved(event.clientX, event.clientY);
        _browser_mouse_button(buttons[event.button], 0);
      }
      drawNow();
      // A click beside the field ends its entry, but only after the interface has had it: it may be a choice from the
      // list that belongs to the field, and then the interface has ended or replaced the entry itself.
      if (click && press && press.entry === entry.serial) leaveEntry();
      press = null;
    });

    element.addEventListener('pointercancel', function(event) {
      if (event.pointerId === finger) {
        finger = -1;
        _browser_touch_cancelled();
      } else if (!isFinger(event)) {
        _browser_mouse_left();
        for (var button = 0; button < 3; button++) _browser_mouse_button(button, 0);
      }
      press = null;
      wake(3);
    });

    element.addEventListener('pointerleave', function(event) {
      if (isFinger(event)) return;
      _browser_mouse_left();
      wake(3);
    });

    // The browser's own focus change follows a press and would take the focus from a text entry that the press has just
    // opened. The canvas takes it itself unless a text entry holds it. A canvas inside a frame of another page gets the
    // focus only when it asks for it (https://github.com/emscripten-core/emscripten/issues/20742).
    element.addEventListener('mousedown', function(event) {
      event.preventDefault();
      if (!entry.element) focusCanvas();
    });

    // Ctrl and wheel is the browser's zoom, as is a pinch on a touchpad.
    element.addEventListener('wheel', function(event) {
      if (event.ctrlKey) return;
      var unit = [1, 40, element.clientHeight * 0.9][event.deltaMode];
      if (!_browser_wheel(event.deltaX * unit, event.deltaY * unit)) return;
      event.preventDefault();
      wake(3);
    }, {passive: false});
  },
});
