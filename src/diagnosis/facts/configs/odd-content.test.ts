import { describe, expect, it } from 'vitest';
import { oddContent, oddSecret, placeholderIn } from './odd-content.ts';

describe('what is odd about a configuration', () => {
  it.each<[string, string, RegExp | undefined]>([
    ['app.yaml', '', /^is empty$/],
    ['app.yaml', ' \n\n', /^is empty$/],
    ['app.yaml', 'a: 1\nb: 2\n', undefined],
    ['nginx.conf', '# gateway\n# see the wiki\n', /^has only comments$/],
    [
      'nginx.conf',
      `# gateway of the shop events { } http { server { listen 8080; location / { } } }`,
      /^is a single line/,
    ],
    ['run.sh', '#!/bin/sh', undefined],
    ['nginx.conf', 'events {} http { server { listen 8080; location / { return 200; } } }', undefined],
    ['redis.conf', String.raw`port 6379\nappendonly yes`, /^is a single line, in which \\n stands/],
    ['app.json', String.raw`{"greeting":"a\nb"}`, undefined],
    ['my.cnf', '[mysqld]\r\nport=1\r\n', /^has Windows line ends/],
    ['a.yaml', 'a:\n\tb: 1\n', /^has a tab before its words in line 2/],
    ['Makefile', 'a:\n\tb\n', undefined],
    ['a.yaml', `server: host: shop.example port: 8080 ${'workers: 4 '.repeat(5)}`, /^is a single line, although/],
    ['a.yaml', `{"server": {"host": "shop.example", "port": 8080, "workers": 4, "name": "x"}}`, undefined],
    ['a.yaml', '\uFEFFa: 1\nb: 2\n', /^begins with a byte order mark/],
  ])('%s %j', (name, text, says) => {
    const found = oddContent(name, text);
    if (says === undefined) expect(found).toBeUndefined();
    else expect(found).toMatch(says);
  });

  it.each<[string, string, RegExp | undefined]>([
    ['password', 'right', undefined],
    ['password', 'right\n', /^ends with a line end$/],
    ['password', Buffer.from('hunter2-and-more').toString('base64'), /^is encoded twice/],
    ['token', Buffer.from([1, 200, 3, 250, 9, 130, 255, 7, 9, 11, 0, 3]).toString('base64'), undefined],
    ['tls.crt', '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n', undefined],
    ['password', '', /^is empty$/],
  ])('a Secret: %s %j', (name, text, says) => {
    const found = oddSecret(name, text);
    if (says === undefined) expect(found).toBeUndefined();
    else expect(found).toMatch(says);
    expect(found ?? '').not.toContain(text === '' ? '~' : text);
  });

  it.each([
    ['host not found in upstream "${BACKEND}"', '${BACKEND}'],
    ['bad port {{ .Values.port }}', '{{ .Values.port }}'],
    ['cannot resolve $(DB_HOST)', '$(DB_HOST)'],
    ['nothing odd $1', undefined],
  ])('a placeholder in %s', (line, found) => {
    expect(placeholderIn(line)).toBe(found);
  });
});
