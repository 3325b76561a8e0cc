import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { dropInWithFlags, unitOfDocs } from './docs-unit.ts';

const page = (...blocks: string[]): string => `# Page\n\n${blocks.join('\n\ntext\n\n')}\n\nmore\n`;
const unit = '[Unit]\nDescription=x\n\n[Service]\nExecStart=/usr/bin/x up\n';
const block = `\`\`\`ini\n${unit}\`\`\``;

describe('unitOfDocs', () => {
  it('finds it among other blocks', () =>
    expect(unitOfDocs(page('```sh\nls\n```', '```ini\n[other]\nx=1\n```', block, '```sh\n[Unit]\n```'))).toBe(unit));

  it.each([
    ['none', page('```sh\nls\n```'), '0 units'],
    ['two', page(block, block), '2 units'],
    ['one that does not end', '```ini\n[Unit]\n', '0 units'],
  ])('refuses %s', (_, text, problem) => expect(() => unitOfDocs(text)).toThrow(problem));

  it('finds ours, which leaves the pods alone', () => {
    const ours = unitOfDocs(readFileSync(join(import.meta.dirname, '../../docs/operations.md'), 'utf8'));
    expect(ours).toMatch(/^KillMode=process$/m);
    expect(ours).toMatch(/^Delegate=yes$/m);
    expect(dropInWithFlags(ours, ['--flag', 'x'])).toMatch(/^ExecStart=\nExecStart=\/usr\/bin\/mendlet up --flag x$/m);
  });
});

describe('dropInWithFlags', () => {
  it.each([
    ['no command', '[Service]\n', '0 ExecStart='],
    ['two commands', `${unit}ExecStart=/bin/y\n`, '2 ExecStart='],
  ])('refuses a unit with %s', (_, text, problem) => expect(() => dropInWithFlags(text, [])).toThrow(problem));
});
