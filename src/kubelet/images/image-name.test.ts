import { describe, expect, it } from 'vitest';
import { fullImageName, parseImageName, withDefaultTag } from './image-name.ts';

describe('parseImageName', () => {
  it.each([
    ['busybox', 'docker.io', 'library/busybox', 'busybox:latest'],
    ['busybox:1.36', 'docker.io', 'library/busybox', 'busybox:1.36'],
    ['me/app', 'docker.io', 'me/app', 'me/app:latest'],
    ['localhost/app', 'localhost', 'app', 'localhost/app:latest'],
    ['localhost:5000/a/b:v1', 'localhost:5000', 'a/b', 'localhost:5000/a/b:v1'],
    ['index.docker.io/busybox', 'docker.io', 'library/busybox', 'index.docker.io/busybox:latest'],
    ['quay.io/x_y/z-1.2__3', 'quay.io', 'x_y/z-1.2__3', 'quay.io/x_y/z-1.2__3:latest'],
    ['[::1]:5000/app', '[::1]:5000', 'app', '[::1]:5000/app:latest'],
    [`a@sha256:${'0'.repeat(64)}`, 'docker.io', 'library/a', `a@sha256:${'0'.repeat(64)}`],
    [`a:b@sha256:${'0'.repeat(64)}`, 'docker.io', 'library/a', `a:b@sha256:${'0'.repeat(64)}`],
  ])('%s', (text, registry, path, asked) => {
    const name = parseImageName(text);
    expect(name).toMatchObject({ registry, path });
    expect(name && withDefaultTag(text, name)).toBe(asked);
  });

  it.each([
    '',
    'Busybox',
    'a//b',
    'a:',
    'a:-x',
    'a@sha256:1',
    '/a',
    'a/',
    ' a',
    'a b',
    'http://a/b',
    `${'a/'.repeat(200)}b`,
  ])('refuses %j', (text) => {
    expect(parseImageName(text)).toBeUndefined();
  });
});

it.each([
  ['busybox', 'docker.io/library/busybox:latest'],
  ['example.test:5000/a/b:1', 'example.test:5000/a/b:1'],
  ['Not A Name', undefined],
])('spells %s out', (text, expected) => {
  expect(fullImageName(text)).toBe(expected);
});
