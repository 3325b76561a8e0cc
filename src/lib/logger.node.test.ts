import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { createLogger } from './logger.node.ts';

function capture(format: 'text' | 'json'): { lines: string[]; logger: ReturnType<typeof createLogger> } {
  const lines: string[] = [];
  return { lines, logger: createLogger({ format, level: 'info', write: (line) => lines.push(line) }) };
}

describe('createLogger', () => {
  it('writes readable lines', () => {
    const { lines, logger } = capture('text');
    logger.child({ pod: 'default/web' }).info('container started', { restarts: 2, image: 'busybox 1', ready: true });
    logger.debug('not at this level');
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(
      /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ INFO container started pod=default\/web restarts=2 image="busybox 1" ready=true\n$/,
    );
  });

  it('writes JSON', () => {
    const { lines, logger } = capture('json');
    logger.warn('slow', { millis: 3, list: [1, 'a'] });
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 'warn', message: 'slow', millis: 3, list: [1, 'a'] });
  });

  it('shows an error with its causes, once each', () => {
    const { lines, logger } = capture('text');
    const root = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' });
    logger.error('list failed', {
      error: new Error('no answer', { cause: new Error('socket closed', { cause: root }) }),
    });
    logger.error('thrown text', { error: 'just text' });
    expect(lines[0]).toContain('error="no answer: socket closed: connect ECONNREFUSED 127.0.0.1:1"');
    expect(lines[1]).toContain('error="just text"');
  });

  it('stays one bounded line whatever it is given', () => {
    const { lines, logger } = capture('text');
    const cycle: Record<string, unknown> = { bytes: new Uint8Array(9) };
    cycle['self'] = cycle;
    logger.info('two\nlines\u001b[31m', { text: 'x'.repeat(100_000), cycle, big: 10n, many: Array(1000).fill(1) });
    expect(lines[0]?.indexOf('\n')).toBe((lines[0]?.length ?? 0) - 1);
    expect(lines[0]).not.toContain('\u001b');
    expect(lines[0]?.length).toBeLessThan(5000);
  });

  it.each(['text', 'json'] as const)('drives no terminal, whatever was quoted where: %s', (format) => {
    const { lines, logger } = capture(format);
    const hostile = '\u001b[31m\u009b2J\u202e\u007f';
    logger.child({ pod: hostile }).warn(`of ${hostile}`, {
      bare: hostile,
      quoted: `a ${hostile}`,
      [hostile]: 1,
      error: new Error(hostile),
      deep: { [hostile]: [hostile] },
    });
    expect(lines.join('')).toContain('\\u202e');
    // oxlint-disable-next-line no-control-regex
    expect(lines.join('')).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    if (format === 'json') expect(JSON.parse(lines[0] ?? '')).toMatchObject({ bare: hostile });
  });

  it('reaches stderr, the last line too when the process dies of an exception', () => {
    const file = new URL('./logger.node.ts', import.meta.url).pathname;
    const script = `import { createLogger } from ${JSON.stringify(file)};
      createLogger({ format: 'text' }).info('last words'); throw new Error('dead');`;
    const result = spawnSync(process.execPath, ['--input-type=module-typescript', '-e', script], { encoding: 'utf8' });
    expect(result.stderr).toContain('INFO last words');
    expect(result.stdout).toBe('');
  });
});
