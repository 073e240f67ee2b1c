// Key events of the canvas. Whatever ImGui does not use stays the browser's: F5, Ctrl+R, Ctrl+F, Ctrl and plus, …
mergeInto(LibraryManager.library, {
  // Hands a key to ImGui; returns whether the browser must leave it alone. `typing`: it comes from the text entry.
  $sendKey__deps: ['$give'],
  $sendKey: function(event, down, typing) {
    give(event.key + '\n' + event.code);
    return _browser_key(down, !!event.repeat, !!event.ctrlKey, !!event.shiftKey, !!event.altKey, !!event.metaKey, !!typing);
  },

  $listenKeys__deps: ['$canvas', '$drawNow', '$wake', '$whenDrawn', '$sendKey', '$loop'],
  $listenKeys: function() {
    var element = canvas();

    element.addEventListener('keydown', function(event) {
      if (event.isComposing) return;
      var used = sendKey(event, 1);
      drawNow();
      if (event.key === 'Tab' && !event.ctrlKey && !event.altKey && !event.metaKey) used = !_browser_tab_leaves();
      if (used) event.preventDefault();
      wake(3);
    });

    element.addEventListener('keyup', function(event) {
      sendKey(event, 0);
      wake(3);
    });

    // Tab into the canvas goes on to its first item, Shift+Tab to its last.
    element.addEventListener('focus', function(event) {
      var from = event.relatedTarget;
      var byTab = !loop.quietFocus && element.matches(':focus-visible');
      var backwards = !!from && !!(element.compareDocumentPosition(from) & Node.DOCUMENT_POSITION_FOLLOWING);
      whenDrawn(function() {
        _browser_focus(1);
        if (byTab) sendKey({key: 'Tab', code: 'Tab', shiftKey: backwards}, 1);
        wake(3);
      });
    });
    element.addEventListener('blur', function() {
      whenDrawn(function() {
        _browser_focus(0);
        wake(3);
      });
    });
  },
});
