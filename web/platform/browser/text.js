// The element of text.cpp. It lives in #entry, which the page empties when it starts, so a saved page has none.
mergeInto(LibraryManager.library, {
  $entry: {
    element: null,
    id: 0,
    serial: 0,  // counts openings and endings, to see whether something happened in between
  },

  js_load_font: function(address, size) {
    var font = new FontFace('Page', HEAPU8.slice(address, address + size));
    document.fonts.add(font);
    font.load();
  },

  $placeEntry__deps: ['$entry'],
  $placeEntry: function(x, y, width, height, fontSize, text, background) {
    var style = entry.element.style;
    style.left = x + 'px';
    style.top = y + 'px';
    style.width = width + 'px';
    style.height = height + 'px';
    style.fontSize = fontSize + 'px';
    style.color = text;
    style.backgroundColor = background;
  },

  // Takes the element away. The canvas gets the focus if the element had it, so that keys go on where they were.
  $closeEntry__deps: ['$entry', '$focusCanvas'],
  $closeEntry: function() {
    var element = entry.element;
    if (!element) return;
    var focused = document.activeElement === element;
    entry.element = null;
    entry.serial++;
    if (focused) focusCanvas();
    element.remove();
  },

  $endEntry__deps: ['$entry', '$closeEntry', '$give', '$drawNow', '$whenDrawn'],
  $endEntry: function(how) {
    if (!entry.element) return;
    var id = entry.id, text = entry.element.value;
    closeEntry();
    whenDrawn(function() {
      give(text);
      _browser_text_ended(id, how);
      drawNow();
    });
  },

  // A click elsewhere, or the focus gone elsewhere: what was typed counts.
  $leaveEntry__deps: ['$endEntry'],
  $leaveEntry: function() { endEntry(0); },

  $listenEntry__deps: ['$entry', '$endEntry', '$leaveEntry', '$whenDrawn', '$give', '$drawNow', '$sendKey'],
  $listenEntry: function(element, id, kind) {
    // The list that belongs to a search field moves and is chosen from with these.
    var listKeys = /^(ArrowUp|ArrowDown|PageUp|PageDown|Enter)$/;

    element.addEventListener('input', function() {
      whenDrawn(function() {
        give(element.value);
        _browser_text_changed(id);
        drawNow();
      });
    });

    // 0 accepted, 1 cancelled, 2 next, 3 previous: ui::TextEnd. Keys of an input method are its own (229: Safari ends a
    // composition before its last keydown, https://bugs.webkit.org/show_bug.cgi?id=165004).
    element.addEventListener('keydown', function(event) {
      if (event.isComposing || event.keyCode === 229) return;
      var multiline = kind === 4, search = kind === 1;
      var how = -1;
      if (event.key === 'Enter' && (!multiline || event.ctrlKey || event.metaKey)) how = 0;
      if (event.key === 'Escape') how = 1;
      if (event.key === 'Tab') how = event.shiftKey ? 3 : 2;
      if (search && listKeys.test(event.key)) {
        sendKey(event, 1, true);
        drawNow();
        if (event.key !== 'Enter') event.preventDefault();
      }
      if (how < 0) return;
      event.preventDefault();
      if (entry.element === element) endEntry(how);
    });
    element.addEventListener('keyup', function(event) {
      if (kind === 1 && listKeys.test(event.key)) sendKey(event, 0, true);
    });

    // A window that loses the focus keeps its active element: that is no end.
    element.addEventListener('blur', function() {
      if (entry.element === element && document.activeElement !== element) leaveEntry();
    });
  },

  js_edit_text__deps: ['$entry', '$read', '$endEntry', '$placeEntry', '$listenEntry'],
  js_edit_text: function(id, x, y, width, height, fontSize, kind, text, label, textRgb, backgroundRgb) {
    var colour = function(rgb) { return '#' + rgb.toString(16).padStart(6, '0'); };
    // Below 16 px Safari on phones zooms the page into the field.
    if (matchMedia('(pointer: coarse)').matches) fontSize = Math.max(fontSize, 16);
    if (!entry.element || entry.id !== id) {
      endEntry(0);
      var multiline = kind === 4;
      var element = document.createElement(multiline ? 'textarea' : 'input');
      element.id = 'entry-field';
      element.value = read(text);
      element.autocomplete = 'off';
      element.spellcheck = false;
      element.setAttribute('autocapitalize', 'off');
      element.setAttribute('aria-label', read(label));
      element.inputMode = ['text', 'search', 'numeric', 'decimal', 'text'][kind];
      element.enterKeyHint = kind === 1 ? 'search' : 'done';
      entry.element = element;
      entry.id = id;
      entry.serial++;
      placeEntry(x, y, width, height, fontSize, colour(textRgb), colour(backgroundRgb));
      document.getElementById('entry').appendChild(element);
      listenEntry(element, id, kind);
      element.focus();
      if (!multiline) element.select();
    } else {
      placeEntry(x, y, width, height, fontSize, colour(textRgb), colour(backgroundRgb));
    }
  },

  js_end_text__deps: ['$closeEntry'],
  js_end_text: function() { closeEntry(); },
});
