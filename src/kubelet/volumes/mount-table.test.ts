import { describe, expect, it } from 'vitest';
import { mountPointOf, mountsUnder, parseMountPoints } from './mount-table.ts';

const TABLE = [
  '22 1 0:20 / / rw,relatime - overlay overlay rw',
  '23 22 0:21 / /a/pods/u/volumes/x rw shared:1 - tmpfs tmpfs rw',
  '24 23 0:22 / /a/pods/u/volumes/x/inner rw - tmpfs tmpfs rw',
  '25 22 0:23 / /a/pods/u/with\\040space rw - tmpfs tmpfs rw',
  '26 22 0:24 / /a/pods/u2 rw - tmpfs tmpfs rw',
  '27 23 0:25 / /a/pods/u/volumes/x rw - tmpfs tmpfs rw',
  '',
].join('\n');

describe('mount table', () => {
  it('is read with its escapes', () => {
    expect(parseMountPoints(TABLE)).toContain('/a/pods/u/with space');
  });

  it('gives what is below a folder, deepest first, a double mount twice', () => {
    expect(mountsUnder(parseMountPoints(TABLE), '/a/pods/u')).toEqual([
      '/a/pods/u/volumes/x/inner',
      '/a/pods/u/volumes/x',
      '/a/pods/u/volumes/x',
      '/a/pods/u/with space',
    ]);
  });
});

describe('the mount that a path is on', () => {
  it.each<[string, string]>([
    ['/var/lib/mendlet/volumes', '/var'],
    ['/var', '/var'],
    ['/variable', '/'],
    ['/data/volumes', '/data'],
    ['/', '/'],
  ])('%s is on %s', (path, point) => {
    expect(mountPointOf(['/', '/data', '/var', '/data/volumes/deep'], path)).toBe(point);
  });
});
