import { describe, expect, it } from 'vitest';
import type { Pod, Volume } from '../../api/index.ts';
import { objectsOf, shownFields, showsPod } from './sources.ts';

describe('what a volume shows', () => {
  it.each<[Omit<Volume, 'name'>, string[], boolean]>([
    [{ configMap: { name: 'a' } }, ['ConfigMap/a'], false],
    [{ secret: { secretName: 'a' } }, ['Secret/a'], false],
    [{ downwardAPI: { items: [] } }, [], true],
    [{ emptyDir: {} }, [], false],
    [{ configMap: {} }, [], false],
    [
      {
        projected: {
          sources: [
            { configMap: { name: 'a' } },
            { secret: { name: 'a' } },
            { configMap: { name: 'a', optional: true } },
            { serviceAccountToken: { path: 't' } },
          ],
        },
      },
      ['ConfigMap/a', 'Secret/a'],
      false,
    ],
    [{ projected: { sources: [{ downwardAPI: {} }] } }, [], true],
  ])('%j', (source, objects, pod) => {
    const volume = { name: 'v', ...source };
    expect(objectsOf(volume).map(({ kind, name }) => `${kind}/${name}`)).toEqual(objects);
    expect(showsPod(volume)).toBe(pod);
  });

  it('follows labels, annotations and resources, and nothing else of the pod', () => {
    const pod: Pod = { metadata: { labels: { a: '1' }, resourceVersion: '1' }, spec: { containers: [{ name: 'c' }] } };
    const same = { ...pod, metadata: { ...pod.metadata, resourceVersion: '2' }, status: { phase: 'Running' } };
    expect(shownFields(same)).toBe(shownFields(pod));
    expect(shownFields({ ...pod, metadata: { labels: { a: '2' } } })).not.toBe(shownFields(pod));
    const resized = { containers: [{ name: 'c', resources: { limits: { cpu: '1' } } }] };
    expect(shownFields({ ...pod, spec: resized })).not.toBe(shownFields(pod));
  });
});
