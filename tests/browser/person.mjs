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
    const view = this.page.viewportSize();
    for (let tries = 0; tries < 40; tries++) {
      const [x, y, width, height] = (await this.item(id)).rect;
      const across = x + width / 2, middle = y + height / 2;
      const strip = (await this.state()).items.find((item) => item.id === 'strip');  // lies over what is below it
      const bottom = strip && id !== 'strip' ? strip.rect[1] : view.height;
      const seen = middle > 4 && middle < bottom - 4;
      if (seen && across > 4 && across < view.width - 4) {
        await this.page.mouse.click(across, middle);
        return this.opened.settle();
      }
      if (seen) await this.wheel(view.width / 2, middle, Math.sign(across - view.width / 2) * 100, 0);  // a row that goes on
      else await this.wheel(x + 10, view.height / 2, 0, Math.sign(middle - view.height / 2) * 200);
    }
    assert.fail(`${id} does not come into view`);
  }

  async wheel(x, y, dx, dy) {
    const view = this.page.viewportSize();
    await this.page.mouse.move(Math.max(10, Math.min(x, view.width - 10)), y);
    await this.page.mouse.wheel(dx, dy);
    await this.opened.settle();
  }

  /** Scrolls so that the item is at the top, or as far as the page goes. */
  async toTop(id) {
    const middle = this.page.viewportSize().height / 2;
    for (let before = Infinity; ;) {
      const [x, y] = (await this.item(id)).rect;
      if (Math.abs(y - 12) < 2 || y === before) return;
      before = y;
      await this.wheel(x + 10, middle, 0, y - 12);
    }
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
