// The text version: the answer as headings, paragraphs and tables for screen readers, printing, search and selection.
mergeInto(LibraryManager.library, {
  $textVersion__deps: ['$focusCanvas'],
  $textVersion: function(shown) {
    document.body.classList.toggle('text', shown);
    document.querySelectorAll('#results a').forEach(function(link) { link.tabIndex = shown ? 0 : -1; });
    if (shown) {
      scrollTo(0, 0);
      document.getElementById('results-title').focus();
    } else {
      focusCanvas();
    }
  },

  js_show_text_version__deps: ['$textVersion', '$whenDrawn'],
  js_show_text_version: function() { whenDrawn(function() { textVersion(true); }); },

  // Everything goes in as text, never as markup: names of files and models come from outside.
  $resultElement: function(parent, name, text) {
    var element = document.createElement(name);
    if (text !== undefined) element.textContent = text;
    parent.appendChild(element);
    return element;
  },

  $resultTable__deps: ['$resultElement'],
  $resultTable: function(parent, data) {
    var table = resultElement(parent, 'table');
    if (data['caption']) resultElement(table, 'caption', data['caption']);
    var head = resultElement(resultElement(table, 'thead'), 'tr');
    (data['head'] || []).forEach(function(text) { resultElement(head, 'th', text).scope = 'col'; });
    var body = resultElement(table, 'tbody');
    (data['rows'] || []).forEach(function(cells) {
      var row = resultElement(body, 'tr');
      cells.forEach(function(text, i) {
        var cell = resultElement(row, i ? 'td' : 'th', text);
        if (!i) cell.scope = 'row';
      });
    });
  },

  js_show_results__deps: ['$read', '$resultElement', '$resultTable'],
  js_show_results: function(json) {
    var results = JSON.parse(read(json));
    document.getElementById('results-title').textContent = results['title'] || '';
    var live = document.getElementById('results-live');
    if (live.textContent !== results['live']) live.textContent = results['live'] || '';
    var body = document.getElementById('results-body');
    body.textContent = '';
    (results['sections'] || []).forEach(function(data) {
      var section = resultElement(body, 'section');
      if (data['heading']) resultElement(section, 'h2', data['heading']);
      (data['paragraphs'] || []).forEach(function(text) { resultElement(section, 'p', text); });
      if (data['table']) resultTable(section, data['table']);
      (data['links'] || []).forEach(function(link) {
        if (!/^(mailto:|https:|#)/.test(link['href'])) return;
        var anchor = resultElement(resultElement(section, 'p'), 'a', link['text']);
        anchor.href = link['href'];
        anchor.rel = 'noopener';
        anchor.tabIndex = document.body.classList.contains('text') ? 0 : -1;
      });
    });
  },

  js_set_document__deps: ['$read', '$canvas'],
  js_set_document: function(language, title, dark) {
    document.documentElement.lang = read(language);
    document.title = read(title);
    canvas().setAttribute('aria-label', document.title);
    document.documentElement.classList.toggle('dark', !!dark);
  },
});
