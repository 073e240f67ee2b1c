// What a person does on the page: press what is called so, type into a field, drop a file. Items are found by what the
// page says of itself (window.app.state().items), so a test reads as the visit it stands for.
import assert from 'node:assert/strict';

export class Person {
  constructor(opened) {
    this.opened = opened;
    this.page = opened.page;
  }

  state() { return this.opened.state(); }

  async item(id) {
    const {items} = await this.state();
    const found = items.find((item) => item.id === id || item.label === id);
    assert.ok(found, `nothing on the page is called ${id}: ${items.map((item) => item.id ?? item.label).join(', ')}`);
    return found;
  }

  /** Presses the middle of an item, scrolled into view first. */
  async press(id) {
    for (let tries = 0; tries < 20; tries++) {
      const [x, y, width, height] = (await this.item(id)).rect;
      const view = this.page.viewportSize();
      const middle = y + height / 2;
      if (middle > 4 && middle < view.height - 4) {
        await this.page.mouse.click(x + width / 2, middle);
        return this.opened.settle();
      }
      await this.page.mouse.move(Math.min(x + 10, view.width - 10), view.height / 2);
      await this.page.mouse.wheel(0, Math.sign(middle - view.height / 2) * 200);
      await this.opened.settle();
    }
    assert.fail(`${id} does not come into view`);
  }

  /** Opens a list by its id and takes the row called so. */
  async choose(list, row) {
    await this.press(list);
    await this.press(row);
  }

  async type(field, text) {
    await this.press(field);
    await this.page.waitForFunction(() => /^(INPUT|TEXTAREA)$/.test(document.activeElement?.tagName));
    await this.page.keyboard.press('Control+a');
    await this.page.keyboard.insertText(text);
    await this.page.keyboard.press('Enter');
    await this.opened.settle();
  }

  async drop(name, content) {
    await this.page.evaluate(([fileName, text]) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([text], fileName, {type: 'application/json'}));
      const target = document.querySelector('canvas');
      for (const kind of ['dragenter', 'dragover', 'drop']) {
        target.dispatchEvent(new DragEvent(kind, {bubbles: true, cancelable: true, dataTransfer: transfer}));
      }
    }, [name, content]);
    await this.opened.settle();
  }

  /** The answer as a screen reader or a printer gets it, without the form. */
  results() {
    return this.page.evaluate(() => ['verdict', 'summary', 'body']
      .map((part) => document.getElementById(`results-${part}`).textContent).join('\n').replaceAll('\u00a0', ' '));
  }

  /** Opens the text version with the keyboard, from the page's beginning. */
  async openText() {
    await this.page.evaluate(() => document.activeElement?.blur());
    await this.page.locator('#to-text').focus();
    await this.page.keyboard.press('Enter');
    await this.page.waitForFunction(() => document.body.classList.contains('text'));
  }
}
