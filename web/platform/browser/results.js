// The text version: the scenario as a form (form.js), the answer as headings, paragraphs and tables, for screen readers,
// printing, search and selection. It is built anew from what the interface says and laid over what is there node by
// node, so that the focus, what is being typed, a selection and a reader's place stay where they are.
mergeInto(LibraryManager.library, {
  $results: {
    changed: false,  // what is shown is out of date
    timer: 0,
    live: '',        // what was announced last
    liveTimer: 0,
  },

  $textVersion__deps: ['$focusCanvas', '$reachable', '$results', '$showLatest', '$tellHeight'],
  $textVersion: function(shown) {
    document.body.classList.toggle('text', shown);
    showLatest();
    reachable();
    if (!shown) return focusCanvas();
    scrollTo(0, 0);
    document.getElementById('results-title').focus();
    tellHeight(document.getElementById('results').offsetHeight);
  },

  // What is not seen is not reached with Tab; a screen reader reaches it all the same.
  $reachable: function() {
    var shown = document.body.classList.contains('text');
    ['a', 'button', 'input', 'select', 'textarea', 'summary', '.wide'].forEach(function(kind) {
      document.querySelectorAll('#results ' + kind).forEach(function(element) { element.tabIndex = shown ? 0 : -1; });
    });
  },

  js_show_text_version__deps: ['$textVersion', '$whenDrawn'],
  js_show_text_version: function() { whenDrawn(function() { textVersion(true); }); },

  // Everything goes in as text, never as markup: names of files and models come from outside.
  $make: function(parent, name, text, attributes) {
    var element = document.createElement(name);
    if (text !== undefined) element.textContent = text;
    for (var key in attributes) {
      if (attributes[key] !== undefined) element.setAttribute(key, attributes[key]);
    }
    if (parent) parent.appendChild(element);
    return element;
  },

  // Makes `old` like `next`. Elements with an id are found again by it, the others by their place.
  $morph: function(old, next) {
    // A <select> whose choices are the same (formSelect): `next` was made without them.
    var sameOptions = old.dataset.options !== undefined && old.dataset.options === next.dataset.options;
    Array.from(old.attributes).forEach(function(attribute) {
      // tabindex is reachable()'s, open the visitor's.
      var kept = attribute.name === 'tabindex' || attribute.name === 'open';
      if (!kept && !next.hasAttribute(attribute.name)) old.removeAttribute(attribute.name);
    });
    Array.from(next.attributes).forEach(function(attribute) {
      if (old.getAttribute(attribute.name) !== attribute.value) old.setAttribute(attribute.name, attribute.value);
    });
    if (sameOptions) return;
    var at = old.firstChild;
    Array.from(next.childNodes).forEach(function(child) {
      var found = at;
      if (child.id) {
        found = Array.from(old.children).find(function(other) { return other.id === child.id; });
        while (found && at !== found) {  // what stands before it is not in the new one, or comes later
          var gone = at;
          at = at.nextSibling;
          gone.remove();
        }
      }
      var alike = found && found.nodeName === child.nodeName && (found.id || '') === (child.id || '');
      if (!alike) return old.insertBefore(child, at);
      at = found.nextSibling;
      if (found.nodeType === Node.TEXT_NODE) {
        if (found.data !== child.data) found.data = child.data;
      } else {
        morph(found, child);
      }
    });
    while (at) {
      var rest = at;
      at = at.nextSibling;
      rest.remove();
    }
  },

  $resultTable__deps: ['$make', '$actionButton'],
  $resultTable: function(parent, data, heading) {
    // Wide tables scroll by themselves, also with the arrow keys.
    var pairs = (data['head'] || []).length === 2 ? ' pairs' : '';  // names and values: two columns of them on paper
    var frame = make(parent, 'div', undefined, {'class': 'wide' + pairs, 'role': 'region', 'aria-label': data['caption']});
    var table = make(frame, 'table');
    if (data['caption']) {
      make(table, 'caption', data['caption'], data['caption'] === heading ? {'class': 'unseen'} : {});
    }
    var head = make(make(table, 'thead'), 'tr');
    (data['head'] || []).forEach(function(text, i) {
      var sort = (data['sorts'] || [])[i];
      var cell = make(head, 'th', sort ? undefined : text, {'scope': 'col', 'aria-sort': sort && sort['sorted']});
      if (sort) actionButton(cell, sort);
    });
    var body = make(table, 'tbody');
    (data['rows'] || []).forEach(function(cells) {
      var row = make(body, 'tr');
      cells.forEach(function(text, i) { make(row, i ? 'td' : 'th', text, i ? {} : {'scope': 'row'}); });
    });
  },

  $resultSection__deps: ['$make', '$resultTable', '$actionButtons'],
  $resultSection: function(body, data) {
    var section = make(body, 'section', '', data['print'] === 'no' ? {'class': 'detail'} : {});
    if (data['heading']) make(section, 'h2', data['heading']);
    (data['paragraphs'] || []).forEach(function(text) { make(section, 'p', text); });
    if (data['lines']) make(section, 'pre', data['lines'].join('\n'));
    if (data['table']) resultTable(section, data['table'], data['heading']);
    actionButtons(section, data['actions']);
    (data['links'] || []).forEach(function(link) {
      if (!/^(mailto:|https:|#)/.test(link['href'])) return;
      var paragraph = make(section, 'p');
      make(paragraph, 'a', link['text'], {'href': link['href'], 'rel': 'noopener'});
      if (link['print']) make(paragraph, 'span', ': ' + link['print'], {'class': 'on-paper'});
    });
  },

  // One announcement when things have come to rest, not one for every step of a slider; none for the first answer.
  $announce__deps: ['$results'],
  $announce: function(text) {
    var first = !results.live;
    if (text === results.live) return;
    results.live = text;
    if (first) return;
    clearTimeout(results.liveTimer);
    results.liveTimer = setTimeout(function() { document.getElementById('results-live').textContent = text; }, 1000);
  },

  $showLatest__deps: ['$results', '$read', '$make', '$morph', '$resultSection', '$formNodes', '$formValues', '$actionButtons',
                      '$reachable', '$announce', '$busy', '$tellHeight'],
  $showLatest: function() {
    if (results.timer) {
      clearTimeout(results.timer);
      results.timer = 0;
      busy(-1);
    }
    if (!results.changed) return;
    results.changed = false;
    var data = JSON.parse(read(_browser_results()));
    document.getElementById('results-title').textContent = data['title'] || '';
    document.getElementById('results-verdict').textContent = data['verdict'] || '';
    document.getElementById('results-summary').textContent = data['summary'] || '';
    announce((data['verdict'] || '') + '. ' + (data['summary'] || ''));

    var form = document.getElementById('results-form'), body = document.getElementById('results-body');
    var newForm = form.cloneNode(false), newBody = body.cloneNode(false);
    if (data['form']) formNodes(newForm, data['form']);
    (data['sections'] || []).forEach(function(section) { resultSection(newBody, section); });
    actionButtons(newBody, data['actions']);
    morph(form, newForm);
    morph(body, newBody);
    formValues();
    reachable();
    if (document.body.classList.contains('text')) tellHeight(document.getElementById('results').offsetHeight);
  },

  // At once where it is seen, but after what goes on now; while the drawn page is in use, when there is time.
  js_results_changed__deps: ['$results', '$showLatest', '$busy'],
  js_results_changed: function() {
    results.changed = true;
    if (results.timer) return;
    busy(1);
    results.timer = setTimeout(showLatest, document.body.classList.contains('text') ? 0 : 120);
  },

  js_set_document__deps: ['$read', '$canvas'],
  js_set_document: function(language, title, dark) {
    document.documentElement.lang = read(language);
    document.title = read(title);
    canvas().setAttribute('aria-label', document.title);
    document.documentElement.classList.toggle('dark', !!dark);
  },
});
