import { describe, expect, it } from 'vitest';
import type { Container, Pod, VolumeMount } from '../../api/index.ts';
import { nestedMountPoints } from './nested-mount-points.ts';

/** Mounts as `NAME PATH [SUBPATH]`. */
const mount = (text: string): VolumeMount => {
  const [name = '', mountPath = '', subPath] = text.split(' ');
  return { name, mountPath, ...(subPath !== undefined && { subPath }) };
};
const container = (mounts: readonly string[]): Container => ({
  name: 'c',
  image: 'i',
  volumeMounts: mounts.map(mount),
});

describe('nestedMountPoints of the volume v', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['nothing is nested', ['v /m', 'a /n'], []],
    ['no mount of its own', ['a /m', 'b /m/x'], []],
    ['a volume inside', ['v /m', 'a /m/x'], ['x']],
    ['whatever the order', ['a /m/x/y', 'v /m'], ['x/y']],
    ['only the first of two inside each other', ['a /m/x/deep', 'v /m', 'b /m/x'], ['x']],
    ['names that sort between a folder and what is in it', ['v /m', 'a /m/x', 'b /m/x.d', 'c /m/x/y'], ['x', 'x.d']],
    ['a name that only begins alike', ['v /m', 'a /mm/x', 'b /m-x'], []],
    ['trailing and double slashes', ['v /m/', 'a //m//x/'], ['x']],
    ['dots on the way', ['v /m/./', 'a /m/x/../y'], ['y']],
    ['dots that lead out of the volume', ['v /m', 'a /m/../x'], []],
    ['dots above the root', ['v /../m', 'a /../../m/x'], ['x']],
    ['paths without a first slash', ['v m', 'a m/x'], ['x']],
    ['names of the bookkeeping', ['v /m', 'a /m/..data', 'b /m/..x/y', 'c /m/x/..y'], ['x/..y']],
    ['the volume inside of itself', ['v /m', 'v /m/self'], ['self']],
    ['at two places', ['v /m', 'a /m/x', 'v /n', 'b /n/y', 'c /n/x'], ['x', 'y']],
    ['the root', ['v /', 'a /x'], []],
    ['a subPath of the volume', ['v /m sub', 'a /m/x'], []],
    ['a subPath of what is inside, as upstream', ['v /m', 'a /m/x file'], ['x']],
  ])('%s', (_, mounts, wanted) => {
    const pod: Pod = { spec: { containers: [container(mounts)] } };
    expect(nestedMountPoints(pod, 'v')).toEqual(wanted);
  });

  it('are those of all containers, each for itself', () => {
    const pod: Pod = {
      spec: {
        initContainers: [container(['v /m', 'a /m/init']), container(['v /other', 'a /m/none'])],
        containers: [container(['v /m', 'a /m/main']), container(['v /m/main', 'a /m/main/second'])],
        ephemeralContainers: [container(['v /m', 'a /m/late', 'b /m/main'])],
      },
    };
    expect(nestedMountPoints(pod, 'v')).toEqual(['init', 'late', 'main', 'second']);
    expect(nestedMountPoints({}, 'v')).toEqual([]);
  });
});
