import { describe, expect, test } from 'vitest';
import { type Checkout, decisionProblems, docsProblems } from './docs-problems.ts';

const checkout: Checkout = {
  files: new Set(['README.md', 'docs/a.md', 'docs/decisions/0001-x.md', 'src/kubelet/plan/lifecycle.ts']),
  scripts: new Set(['unit', 'schema:check']),
};

describe('docsProblems', () => {
  test.each([
    ['a file by its whole path', '`src/kubelet/plan/lifecycle.ts`', 0],
    ['a file from where the reader is', '**`plan/lifecycle.ts`**', 0],
    ['a file that was renamed', '`plan/life-cycle.ts`', 1],
    ['a part of a name', '`cycle.ts`', 1],
    ['a folder', '`src/kubelet/`, `kubelet/plan/` and `pki/`', 0],
    ['a folder that was moved', '`kubelet/plans/`', 1],
    ['names that stand for many', '`X.test.ts`, `DIR/images/`, `*.node.ts`', 0],
    ["files of the reader's machine", '`app.tar`, `/var/log/pods`, `hosts.toml`', 0],
    ['a page in capitals', '`README.md` and `MISSING.md`', 1],
    ['links', '[a](decisions/0001-x.md#why) [b](../README.md) [c](#here) [d](https://example.org/x.md)', 0],
    ['a link to nothing', '[a](decisions/0002-y.md)', 1],
    ['npm scripts', '`npm run unit -- src/kubelet`, `npm run schema:check`, `npm run nothing`', 1],
    ['code blocks, but for their scripts', '```sh\ncat `x.ts`\nnpm run nothing\n```', 1],
  ])('%s', (_, text, problems) => {
    expect(docsProblems('docs/a.md', text, checkout)).toHaveLength(problems);
  });
});

describe('decisionProblems', () => {
  const files = ['docs/decisions/0001-x.md', 'docs/decisions/0002-y.md', 'docs/decisions/README.md'];
  const x = '| [0001](0001-x.md) | X |\n';
  const y = '| [0002](0002-y.md) | Y |\n';

  test.each([
    ['complete and in order', files, x + y, 0],
    ['one is missing', files, x, 1],
    ['out of order', files, y + x, 1],
    ['one number twice', [...files, 'docs/decisions/0002-z.md'], `${x + y}| [0002](0002-z.md) | Z |`, 1],
  ])('%s', (_, given, index, problems) => {
    expect(decisionProblems(given, index)).toHaveLength(problems);
  });
});
