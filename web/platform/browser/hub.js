// Requests to a hub, only ever made when the interface asks: parts of files, read no further than was asked for.
mergeInto(LibraryManager.library, {
  $fetches: {},  // id: AbortController

  js_fetch__deps: ['$fetches', '$read', '$give', '$whenDrawn', '$drawNow'],
  js_fetch: function(id, address, offset, length) {
    var ends = {whole: 0, unreachable: 1, slow: 2, cut: 3};  // ui::Fetched::End
    var controller = fetches[id] = new AbortController(), timer = 0, slow = false, answer = null, parts = [], had = 0;
    var waitOn = function() {  // half a minute without a byte is too long
      clearTimeout(timer);
      timer = setTimeout(function() {
        slow = true;
        controller.abort();
      }, 30000);
    };
    var arrived = function(end) {
      clearTimeout(timer);
      if (fetches[id] !== controller) return;  // stopped meanwhile
      delete fetches[id];
      var header = function(name) { return answer && answer.headers.get(name) || ''; };
      var range = /^bytes (\d+)-\d+\/(\d+)$/.exec(header('Content-Range'));
      whenDrawn(function() {
        give(header('X-Repo-Commit'));
        _browser_fetched_commit();
        give(header('X-Error-Code'));
        _browser_fetched_code();
        var at = _browser_incoming(Math.min(had, length));
        parts.forEach(function(part) {
          var left = part.subarray(0, length);
          HEAPU8.set(left, at);
          at += left.length;
          length -= left.length;
        });
        _browser_fetched(id, slow ? ends.slow : end, answer ? answer.status : 0,
                         range && Number(range[1]) === offset ? Number(range[2]) : 0);
        drawNow();
      });
    };
    waitOn();
    fetch(read(address), {
      'headers': {'Range': 'bytes=' + offset + '-' + (offset + length - 1)}, 'credentials': 'omit', 'cache': 'no-store',
      'referrerPolicy': 'no-referrer', 'signal': controller.signal,
    }).then(function(response) {
      answer = response;
      if (!response.ok) {
        arrived(ends.whole);
        return controller.abort();
      }
      var reader = response.body.getReader();
      var more = function() {
        return reader.read().then(function(chunk) {
          if (chunk.done) return arrived(ends.whole);
          waitOn();
          parts.push(chunk.value);
          had += chunk.value.length;
          if (had < length) return more();
          arrived(ends.whole);
          controller.abort();  // a server that sends the whole file
        });
      };
      return more();
    }).catch(function() { arrived(answer ? ends.cut : ends.unreachable); });
  },

  js_stop_fetches__deps: ['$fetches'],
  js_stop_fetches: function() {
    Object.keys(fetches).forEach(function(id) {
      fetches[id].abort();
      delete fetches[id];
    });
  },
});
