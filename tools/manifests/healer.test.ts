import { readFileSync } from 'node:fs';
import { loadAll } from 'js-yaml';
import { expect, it } from 'vitest';
import { crdsYaml } from './crds.ts';
import { HEALER_OBJECTS, healerYaml, localVolumesYaml } from './healer.ts';

it('deploy/mendlet-healer.yaml is as "npm run manifests" makes it', () => {
  expect(readFileSync(new URL('../../deploy/mendlet-healer.yaml', import.meta.url), 'utf8')).toBe(healerYaml());
});

it('deploy/mendlet-local-volumes.yaml is, too', () => {
  const text = readFileSync(new URL('../../deploy/mendlet-local-volumes.yaml', import.meta.url), 'utf8');
  expect(text).toBe(localVolumesYaml());
});

it('has the kinds of deploy/crds.yaml, then the rest', () => {
  const objects: unknown[] = [];
  loadAll(healerYaml(), (object) => void objects.push(object));
  const crds: unknown[] = [];
  loadAll(crdsYaml(), (object) => void crds.push(object));
  expect(objects).toEqual([...crds.filter((crd) => crd !== null), ...HEALER_OBJECTS]);
});
