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
    // A saved copy is opened without what followed '#': its text keeps it.
    return at < 0 ? document.getElementById('saved-link').content : location.href.slice(at + 1);
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
    document.getElementById('saved-link').content = link;
    if (location.hash === '#' + link && address.pending === null) return;
    address.pending = link;
    if (address.timer) return;
    busy(1);
    address.timer = setTimeout(writeLink, Math.max(0, 300 - (performance.now() - address.last)));
  },

  js_page_address__deps: ['$give', '$embedded'],
  js_page_address: function() { give(location.href.replace(embedded() ? /[?#].*/ : /#.*/, '')); },

  $embedded: function() { return /[?&]embed(&|=|$)/.test(location.search); },
  js_embedded__deps: ['$embedded'],
  js_embedded: function() { return embedded(); },

  // The page in which this one lies may follow; which page that is cannot be known, and a height is no secret.
  $embedding: {height: 0},

  $tellHeight__deps: ['$embedding', '$embedded'],
  $tellHeight: function(height) {
    if (!embedded() || parent === window || Math.abs(height - embedding.height) < 1) return;
    embedding.height = height;
    parent.postMessage({'vramHeight': Math.ceil(height)}, '*');
  },

  js_content_height__deps: ['$tellHeight'],
  js_content_height: function(height) {
    if (!document.body.classList.contains('text')) tellHeight(height);
  },

  js_warn__deps: ['$read'],
  js_warn: function(text) { console.warn(read(text)); },

  // Not within a frame: what listenPage() does before a print asks the program.
  js_print_page__deps: ['$whenDrawn'],
  js_print_page: function() { whenDrawn(function() { print(); }); },

  js_can_draw: function() { return !!Module['canDraw']; },

  js_set_accent: function(rgb) {
    var style = document.documentElement.style;
    if (rgb) style.setProperty('--accent', '#' + rgb.toString(16).padStart(6, '0'));
    else style.removeProperty('--accent');
  },

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

  $listenPage__deps: ['$preferenceQueries', '$whenDrawn', '$drawNow', '$give', '$currentLink', '$textVersion',
                      '$results', '$showLatest'],
  $listenPage: function() {
    var changed = function() {
      whenDrawn(function() {
        _browser_preferences_changed();
        drawNow();
      });
    };
    preferenceQueries.forEach(function(query) { matchMedia(query).addEventListener('change', changed); });
    addEventListener('languagechange', changed);
    addEventListener('beforeprint', function() {
      _browser_print_begins();
      showLatest();
    });
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

  $copyText: function(text) {
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

  js_copy_text__deps: ['$read', '$copyText'],
  js_copy_text: function(address) { copyText(read(address)); },

  js_can_share: function() { return typeof navigator.share === 'function'; },

  // A sheet that was closed is no failure; one that is refused (a frame without allow="web-share") gives way to copying.
  js_share__deps: ['$read', '$copyText'],
  js_share: function(title, address) {
    var text = read(address);
    if (!navigator.share) return copyText(text);
    navigator.share({title: read(title), text: text}).catch(function(error) {
      if (error.name !== 'AbortError') copyText(text);
    });
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

  // The page as it was delivered (boot.js kept its text before anything changed it) with the scenario of this moment.
  js_save_page__deps: ['$download', '$currentLink'],
  js_save_page: function() {
    var name = location.pathname.split('/').pop() || 'index.html';
    var link = currentLink().replace(/&/g, '&amp;').replace(/"/g, '&quot;').replace(/</g, '&lt;');
    var text = Module['pageText'].replace(/(<meta id="saved-link"[^>]*? content=")[^"]*/, function(all, before) {
      return before + link;
    });
    download(decodeURIComponent(name), 'text/html', [text]);
  },
});
