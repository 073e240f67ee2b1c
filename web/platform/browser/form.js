// The form of the text version: real fields made from web/ui/form.h's JSON. Its events are listened to once, on the whole
// of it, so its nodes may come and go.
mergeInto(LibraryManager.library, {
  $actionButton__deps: ['$make'],
  $actionButton: function(parent, action) {
    make(parent, 'button', action['label'], {
      'type': 'button', 'id': 'act-' + action['id'], 'data-act': action['id'], 'lang': action['lang'],
      'aria-pressed': 'chosen' in action ? action['chosen'] : undefined,
    });
  },

  $actionButtons__deps: ['$make', '$actionButton'],
  $actionButtons: function(parent, actions, label) {
    if (!actions || !actions.length) return;
    var row = make(parent, 'p', undefined, {'class': 'actions', 'role': label && 'group', 'aria-label': label});
    actions.forEach(function(action) { actionButton(row, action); });
  },

  // A <select> whose choices have not changed is made without them: morph() leaves what is there.
  $formSelect__deps: ['$make'],
  $formSelect: function(row, field, choices, attributes) {
    var version = document.documentElement.lang + ':' + choices.length + ':' + (field['none'] || '');
    attributes['data-options'] = version;
    var select = make(row, 'select', undefined, attributes);
    var old = document.getElementById(attributes['id']);
    if (old && old.dataset.options === version) return;
    if (field['none'] !== undefined) make(select, 'option', field['none'], {'value': ''});
    choices.forEach(function(choice) { make(select, 'option', choice[1], {'value': choice[0]}); });
  },

  $formField__deps: ['$make', '$formSelect'],
  $formField: function(parent, field, lists) {
    var id = 'field-' + field['deployment'] + '-' + field['key'], kind = field['kind'];
    var row = make(parent, 'div', undefined, {'id': id + '-row', 'class': 'field'});
    make(row, 'label', field['label'], {'for': id});
    var described = [field['error'] && id + '-error', field['hint'] && id + '-hint'].filter(Boolean).join(' ');
    var attributes = {
      'id': id, 'data-key': field['key'], 'data-deployment': field['deployment'], 'data-value': field['value'],
      'aria-describedby': described || undefined, 'aria-invalid': field['error'] ? 'true' : undefined,
    };
    if (kind === 'choice' || kind === 'list') {
      formSelect(row, field, kind === 'list' ? lists[field['list']] : field['choices'], attributes);
    } else {
      attributes['autocomplete'] = 'off';
      attributes['inputmode'] = {'integer': 'numeric', 'decimal': 'decimal'}[kind];
      var lines = kind === 'multiline' || kind === 'paste';
      if (lines) attributes['rows'] = 3; else attributes['type'] = 'text';
      if (kind === 'paste') delete attributes['data-key'];  // no field of the scenario: its button reads it
      make(row, lines ? 'textarea' : 'input', undefined, attributes);
    }
    if (field['error']) make(row, 'p', field['error'], {'id': id + '-error', 'class': 'error'});
    if (field['hint']) make(row, 'p', field['hint'], {'id': id + '-hint', 'class': 'hint'});
  },

  $formGroup__deps: ['$make', '$formField', '$actionButtons'],
  $formGroup: function(parent, group, lists, more) {
    var set = make(parent, 'fieldset', undefined, {'id': 'group-' + group['id']});
    make(set, 'legend', group['legend']);
    if (group['hint']) make(set, 'p', group['hint'], {'class': 'hint'});
    if (group['items'] && group['items'].length) {
      var list = make(set, 'ul', undefined, {'class': 'known'});
      group['items'].forEach(function(item) { make(list, 'li', '✓ ' + item['text']); });
    }
    var expert = function(field) { return field['expert']; };
    var plain = group['fields'].filter(function(field) { return !field['expert']; });
    if (plain.length) {
      var fields = make(set, 'div', undefined, {'class': 'fields'});
      plain.forEach(function(field) { formField(fields, field, lists); });
    }
    actionButtons(set, group['actions']);
    if (!group['fields'].some(expert)) return;
    // Open while something in it is wrong; morph() leaves open what a visitor opened.
    var wrong = group['fields'].some(function(field) { return field['expert'] && field['error']; });
    var details = make(set, 'details', undefined, {'id': 'more-' + group['id'], 'open': wrong ? '' : undefined});
    make(details, 'summary', more, {'aria-label': more + ': ' + group['legend']});
    var inside = make(details, 'div', undefined, {'class': 'fields'});
    group['fields'].filter(expert).forEach(function(field) { formField(inside, field, lists); });
  },

  $formNodes__deps: ['$make', '$formGroup', '$actionButtons'],
  $formNodes: function(form, data) {
    actionButtons(form, data['tools'], data['tools_label']);
    make(form, 'h2', data['heading']);
    (data['notices'] || []).forEach(function(notice) {
      var line = make(form, 'p', notice['text'] + ' ', {'class': 'notice', 'role': 'status'});
      make(line, 'button', notice['action']['label'], {'type': 'button', 'data-act': notice['action']['id']});
    });
    data['groups'].forEach(function(group) { formGroup(form, group, data['lists'], data['more']); });
  },

  // The fields' values are properties, which morph() does not see. What is being typed stays, and so does what is wrong.
  $formValues: function() {
    document.querySelectorAll('#results-form [data-key]').forEach(function(field) {
      var typed = field.nodeName !== 'SELECT' && field === document.activeElement;
      if (typed || field.getAttribute('aria-invalid')) return;
      if (field.value !== field.dataset.value) field.value = field.dataset.value;
    });
  },

  $listenForm__deps: ['$openPasted', '$give', '$whenDrawn', '$drawNow', '$formValues'],
  $listenForm: function() {
    var results = document.getElementById('results'), form = document.getElementById('results-form');
    var changed = function(event) {
      var field = event.target;
      if (!field.dataset || field.dataset.key === undefined) return;
      whenDrawn(function() {
        give(field.dataset.key);
        _browser_field_key();
        give(field.value);
        _browser_field_changed(Number(field.dataset.deployment));
        drawNow();
      });
    };
    form.addEventListener('input', changed);
    form.addEventListener('focusout', function() { setTimeout(formValues); });
    form.addEventListener('submit', function(event) { event.preventDefault(); });
    results.addEventListener('click', function(event) {
      var button = event.target.closest('[data-act]');
      if (!button) return;
      var pasted = document.getElementById('field-0-paste');
      if (button.dataset.act === 'paste' && pasted.value.trim()) {
        openPasted(pasted.value);
        pasted.value = '';
        return;
      }
      whenDrawn(function() {
        give(button.dataset.act);
        _browser_act();
        drawNow();
      });
    });
  },
});
