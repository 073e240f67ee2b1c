// Pictures of the page for people to look at → build/screenshots/.
//   node tests/browser/screenshots.mjs [page.html]        the first screen in every language, size and theme
//   node tests/browser/screenshots.mjs --all [page.html]  every screen: all tabs, lists, an explanation, training, the phone's
//                                                         landscape, 200 %, wide and 4K (380 pictures, eight minutes)
import {mkdirSync} from 'node:fs';
import {resolve} from 'node:path';

import {launch, open, pagePath} from './harness.mjs';
import {Person} from './person.mjs';

const all = process.argv.includes('--all'), given = process.argv.slice(2).find((one) => !one.startsWith('--'));
const path = given ? resolve(given) : pagePath;
const folder = resolve('build/screenshots');
const serving = 'v=1&model=meta-llama/Llama-3.1-70B-Instruct&ctx=32768&gpu=h100-sxm&n=4';
const training = 'v=1&model=meta-llama/Llama-3.1-8B-Instruct&task=tune&method=qlora&seq=4096&gpu=rtx4090&n=1';
const languages = {ru: 'ru-RU', kk: 'kk-KZ', en: 'en-US'};
const touch = {deviceScaleFactor: 2, hasTouch: true, isMobile: true};
const sizes = {
  desktop: {viewport: {width: 1280, height: 800}},
  tablet: {viewport: {width: 820, height: 1180}, hasTouch: true},
  phone: {viewport: {width: 390, height: 844}, ...touch},
};
// Sizes that are looked at once: what they change does not depend on language or theme.
const others = {
  landscape: {viewport: {width: 844, height: 390}, ...touch},
  zoomed: {viewport: {width: 640, height: 400}, deviceScaleFactor: 2},  // 1280 × 800 at 200 %
  wide: {viewport: {width: 1920, height: 1080}},
  '4k': {viewport: {width: 3840, height: 2160}},
  narrow: {viewport: {width: 360, height: 640}, ...touch},
};

mkdirSync(folder, {recursive: true});
const browser = await launch();

async function shot(page, name) {
  await page.screenshot({path: `${folder}/${name}.png`});
  console.log(`build/screenshots/${name}.png`);
}

/** Each tab, where a finger points from its row on. */
async function everyTab(opened, name, fromItsRow) {
  const person = new Person(opened);
  const tabs = (await opened.state()).items.filter((item) => /^tab\.\d+$/.test(item.id));
  for (const {id} of tabs) {
    await person.press(id);
    if (fromItsRow) await person.toTop(id);
    await shot(opened.page, `${name}-${id.replace('.', '')}`);
  }
}

/** Everything that can be looked at without typing; what is long is shown on a tall page. */
async function everyScreen(name, options) {
  const {width, height} = options.viewport;
  const tall = await open(browser, {path, hash: serving, ...options, viewport: {width, height: Math.max(height, 2600)}});
  await everyTab(tall, name, options.hasTouch);
  await new Person(tall).press('more');
  await shot(tall.page, `${name}-more`);
  await tall.close();
  const plain = await open(browser, {path, hash: serving, ...options});
  for (const id of ['examples', 'model', 'weights']) {
    const at = new Person(plain);
    await at.press(id);
    await shot(plain.page, `${name}-${id}`);
    await plain.page.keyboard.press('Escape');
    await plain.settle();
  }
  await plain.close();
  const job = await open(browser, {path, hash: training, ...options, viewport: {width, height: Math.max(height, 1800)}});
  await shot(job.page, `${name}-training`);
  if (options.colorScheme === 'light') await everyTab(job, `${name}-training`, options.hasTouch);
  await job.close();
}

for (const [language, locale] of Object.entries(languages)) {
  for (const [size, options] of Object.entries(sizes)) {
    if (size === 'tablet' && !all) continue;
    for (const colorScheme of ['light', 'dark']) {
      const name = `${size}-${language}${colorScheme === 'dark' ? '-dark' : ''}`;
      const opened = await open(browser, {path, hash: serving, locale, colorScheme, ...options});
      await shot(opened.page, name);
      if (size === 'desktop' && colorScheme === 'light') {
        await new Person(opened).press('legend.kv');
        await shot(opened.page, `${name}-explained`);
      }
      await opened.close();
      if (all) await everyScreen(name, {locale, colorScheme, ...options});
    }
  }
}
if (all) {
  for (const [size, options] of Object.entries(others)) {
    const opened = await open(browser, {path, hash: serving, locale: 'ru-RU', ...options});
    await shot(opened.page, `${size}-ru`);
    await opened.close();
  }
}
await browser.close();
