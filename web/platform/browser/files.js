// Files that were dropped or picked. A File is a handle and costs nothing; slices of it are read on demand.
mergeInto(LibraryManager.library, {
  $files: {
    open: {},  // id: File
    next: 1,
  },

  // `list`: pairs of a File and its name, with its folder when a folder was dropped.
  $openFiles__deps: ['$files', '$give', '$drawNow', '$whenDrawn'],
  $openFiles: function(list) {
    if (!list.length) return;
    whenDrawn(function() {
      list.forEach(function(item) {
        var id = files.next++;
        files.open[id] = item[0];
        give(item[1]);
        _browser_file_opened(id, item[0].size);
      });
      _browser_files_opened();
      drawNow();
    });
  },

  // Files of a drop, folders included; the entries must be taken before the event handler returns.
  $droppedFiles: function(transfer) {
    var walk = function(entry, path) {
      return new Promise(function(resolve) {
        if (entry.isFile) {
          entry.file(function(file) { resolve([[file, path + entry.name]]); }, function() { resolve([]); });
          return;
        }
        var reader = entry.createReader(), found = [];
        var more = function() {
          reader.readEntries(function(entries) {
            if (!entries.length) return resolve(Promise.all(found).then(function(lists) { return lists.flat(); }));
            entries.forEach(function(child) { found.push(walk(child, path + entry.name + '/')); });
            more();  // at most 100 entries arrive at a time
          }, function() { resolve([]); });
        };
        more();
      });
    };
    var entries = Array.from(transfer.items || [])
      .map(function(item) { return item.webkitGetAsEntry && item.webkitGetAsEntry(); })
      .filter(Boolean);
    if (entries.length) {
      return Promise.all(entries.map(function(entry) { return walk(entry, ''); }))
        .then(function(lists) { return lists.flat(); });
    }
    return Promise.resolve(Array.from(transfer.files).map(function(file) { return [file, file.name]; }));
  },

  // Text that was pasted is read like a file, in pieces: it has no name.
  $openPasted__deps: ['$openFiles'],
  $openPasted: function(text) {
    if (text.trim()) openFiles([[new File([text], ''), '']]);
  },

  // Where the clipboard is not handed out (Firefox before 125, an embedded page, a refusal), there is a field to paste into.
  js_paste__deps: ['$openPasted', '$textVersion', '$whenDrawn'],
  js_paste: function() {
    var byHand = function() {
      whenDrawn(function() {
        textVersion(true);
        document.getElementById('field-0-paste').focus();
      });
    };
    if (!navigator.clipboard || !navigator.clipboard.readText) return byHand();
    navigator.clipboard.readText().then(function(text) { if (text.trim()) openPasted(text); else byHand(); }, byHand);
  },

  $listenFiles__deps: ['$openFiles', '$openPasted', '$droppedFiles', '$busy'],
  $listenFiles: function() {
    // A field takes what is pasted into it, except the one for logs: megabytes in a <textarea> stop the browser.
    document.addEventListener('paste', function(event) {
      var target = event.target, data = event.clipboardData;
      if (!data || /^(input|select|textarea)$/i.test(target.nodeName) && target.id !== 'field-0-paste') return;
      event.preventDefault();
      if (data.files.length) openFiles(Array.from(data.files).map(function(file) { return [file, file.name]; }));
      else openPasted(data.getData('text'));
    });

    var hasFiles = function(event) { return Array.from(event.dataTransfer.types).includes('Files'); };
    document.addEventListener('dragover', function(event) {
      if (!hasFiles(event)) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = 'copy';
    });
    document.addEventListener('drop', function(event) {
      if (!hasFiles(event)) return;
      event.preventDefault();  // otherwise the browser leaves the page for the file
      busy(1);
      droppedFiles(event.dataTransfer).then(openFiles).finally(function() { busy(-1); });
    });
  },

  js_pick_files__deps: ['$openFiles'],
  js_pick_files: function() {
    var input = document.createElement('input');
    input.type = 'file';
    input.multiple = true;
    input.addEventListener('change', function() {
      openFiles(Array.from(input.files).map(function(file) { return [file, file.name]; }));
    });
    input.click();
  },

  js_read_file__deps: ['$files', '$busy', '$wake', '$whenDrawn'],
  js_read_file: function(id, offset, length) {
    var file = files.open[id];
    var arrived = function(buffer) {
      if (files.open[id] !== file) return;  // closed meanwhile
      whenDrawn(function() {
        var bytes = new Uint8Array(buffer), address = _browser_incoming(bytes.length);
        HEAPU8.set(bytes, address);
        _browser_bytes_read(id, offset);
        wake(2);  // not drawn at once: fifty pieces of a long log would be two hundred frames
      });
    };
    var unreadable = function() { arrived(new ArrayBuffer(0)); };
    busy(1);
    var reading = file ? file.slice(offset, offset + length).arrayBuffer() : Promise.reject();
    reading.then(arrived, unreadable).finally(function() { busy(-1); });
  },

  js_close_files__deps: ['$files'],
  js_close_files: function() { files.open = {}; },
});
