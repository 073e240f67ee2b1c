// Pictures of the page for people to look at: every language, size and theme → build/screenshots/.
//   node tests/browser/screenshots.mjs [page.html]
import {mkdirSync} from 'node:fs';
import {resolve} from 'node:path';

import {launch, open, pagePath} from './harness.mjs';
import {Person} from './person.mjs';

const path = process.argv[2] ? resolve(process.argv[2]) : pagePath;
const folder = resolve('build/screenshots');
const hash = 'v=1&model=meta-llama/Llama-3.1-70B-Instruct&ctx=32768&gpu=h100-sxm&n=4';
const languages = {ru: 'ru-RU', kk: 'kk-KZ', en: 'en-US'};
const sizes = {
  desktop: {viewport: {width: 1280, height: 800}},
  phone: {viewport: {width: 390, height: 844}, deviceScaleFactor: 2, hasTouch: true, isMobile: true},
};

mkdirSync(folder, {recursive: true});
const browser = await launch();
for (const [language, locale] of Object.entries(languages)) {
  for (const [size, options] of Object.entries(sizes)) {
    for (const colorScheme of ['light', 'dark']) {
      const opened = await open(browser, {path, hash, locale, colorScheme, ...options});
      const name = `${size}-${language}${colorScheme === 'dark' ? '-dark' : ''}`;
      await opened.page.screenshot({path: `${folder}/${name}.png`});
      if (size === 'desktop' && colorScheme === 'light') {
        await new Person(opened).press('legend.kv');
        await opened.page.screenshot({path: `${folder}/${name}-explained.png`});
      }
      await opened.close();
      console.log(`build/screenshots/${name}.png`);
    }
  }
}
await browser.close();
