// docs/PERFORMANCE.md: each benchmark writes its own section.
import {existsSync, readFileSync, writeFileSync} from 'node:fs';
import {fileURLToPath} from 'node:url';

/** Puts a section, which begins with its heading, in place of the one of that name. */
export function writeSection(section) {
  const path = fileURLToPath(new URL('../../docs/PERFORMANCE.md', import.meta.url)), name = section.match(/^## (.*)/)[1];
  const before = existsSync(path) ? readFileSync(path, 'utf8') : '# Performance\n';
  const without = before.replace(new RegExp(`\n## ${name}\n[\\s\\S]*?(?=\n## |$)`), '').trimEnd();
  writeFileSync(path, `${without}\n\n${section}`);
}
