// The page around the canvas: address, storage, preferences, clipboard, downloads.
mergeInto(LibraryManager.library, {
  // The address is written at once when it rests and at most three times a second: Safari and Chromium refuse more than
  // a hundred changes in half a minute.
  $address: {
    pending: null,
    timer: 0,
    last: 0,
  },

  $currentLink__deps: ['$address'],
  $currentLink: function() {
    if (address.pending !== null) return address.pending;
    var at = location.href.indexOf('#');
    return at < 0 ? '' : location.href.slice(at + 1);
  },

  $writeLink__deps: ['$address', '$busy'],
  $writeLink: function() {
    address.timer = 0;
    address.last = performance.now();
    var link = '#' + address.pending;
    address.pending = null;
    try {
      history.replaceState(history.state, '', link);
    } catch (refused) {
      // A sandboxed frame: the address stays behind, everything else works.
    }
    busy(-1);
  },

  js_link__deps: ['$give', '$currentLink'],
  js_link: function() { give(currentLink()); },

  js_set_link__deps: ['$address', '$read', '$busy', '$writeLink', '$currentLink'],
  js_set_link: function(fragment) {
    var link = read(fragment);
    if (link === currentLink()) return;
    address.pending = link;
    if (address.timer) return;
    busy(1);
    address.timer = setTimeout(writeLink, Math.max(0, 300 - (performance.now() - address.last)));
  },

  js_page_address__deps: ['$give'],
  js_page_address: function() { give(location.href.replace(/#.*/, '')); },

  js_site_settings__deps: ['$give'],
  js_site_settings: function() {
    var site = document.getElementById('site');
    give(site ? site.textContent : '');
  },

  // Files opened from disk share one storage in Chromium, hence the prefix; blocked storage throws.
  js_stored__deps: ['$give', '$read'],
  js_stored: function(key) {
    var value = null;
    try { value = localStorage.getItem('vram.' + read(key)); } catch (blocked) {}
    give(value || '');
  },

  js_store__deps: ['$read'],
  js_store: function(key, value) {
    try { localStorage.setItem('vram.' + read(key), read(value)); } catch (blocked) {}
  },

  js_language__deps: ['$give'],
  js_language: function() {
    var known = navigator.languages.map(function(tag) { return tag.slice(0, 2).toLowerCase(); })
      .find(function(tag) { return ['ru', 'kk', 'en'].includes(tag); });
    give(known || 'en');
  },

  $preferenceQueries: ['(prefers-color-scheme: dark)', '(prefers-reduced-motion: reduce)', '(prefers-contrast: more)',
                       '(pointer: coarse)'],

  js_preferences__deps: ['$preferenceQueries'],
  js_preferences: function() {
    return preferenceQueries.reduce(function(bits, query, i) { return bits | (matchMedia(query).matches << i); }, 0);
  },

  $listenPage__deps: ['$preferenceQueries', '$whenDrawn', '$drawNow', '$give', '$currentLink', '$textVersion'],
  $listenPage: function() {
    var changed = function() {
      whenDrawn(function() {
        _browser_preferences_changed();
        drawNow();
      });
    };
    preferenceQueries.forEach(function(query) { matchMedia(query).addEventListener('change', changed); });
    addEventListener('languagechange', changed);
    addEventListener('hashchange', function() {
      whenDrawn(function() {
        give(currentLink());
        _browser_link_changed();
        drawNow();
      });
    });
    document.getElementById('to-text').addEventListener('click', function() { textVersion(true); });
    document.getElementById('to-page').addEventListener('click', function() { textVersion(false); });
  },

  js_copy_text__deps: ['$read'],
  js_copy_text: function(address) {
    var text = read(address);
    // Also for pages that may not write the clipboard: an embedded one, or one over plain http.
    var byCommand = function() {
      var focused = document.activeElement, area = document.createElement('textarea');
      area.value = text;
      document.getElementById('entry').appendChild(area);
      area.select();
      document.execCommand('copy');
      area.remove();
      if (focused) focused.focus({preventScroll: true});
    };
    if (navigator.clipboard && navigator.clipboard.writeText) navigator.clipboard.writeText(text).catch(byCommand);
    else byCommand();
  },

  $clickLink: function(href, name) {
    var link = document.createElement('a');
    link.href = href;
    if (name) link.download = name;
    else if (!href.startsWith('mailto:')) link.target = '_blank';
    link.rel = 'noopener';
    document.getElementById('entry').appendChild(link);
    link.click();
    link.remove();
  },

  js_open_address__deps: ['$read', '$clickLink'],
  js_open_address: function(address) {
    var href = read(address);
    if (/^(mailto|https):/.test(href)) clickLink(href, '');
  },

  $download__deps: ['$clickLink'],
  $download: function(name, mime, parts) {
    var url = URL.createObjectURL(new Blob(parts, {type: mime}));
    clickLink(url, name);
    setTimeout(function() { URL.revokeObjectURL(url); }, 60000);
  },

  js_save_file__deps: ['$read', '$download'],
  js_save_file: function(name, mime, content, size) {
    download(read(name), read(mime), [HEAPU8.slice(content, content + size)]);
  },

  // The page as it was delivered: boot.js kept its text before anything changed it.
  js_save_page__deps: ['$download'],
  js_save_page: function() {
    var name = location.pathname.split('/').pop() || 'index.html';
    download(decodeURIComponent(name), 'text/html', [Module['pageText']]);
  },
});
