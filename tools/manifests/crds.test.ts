import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { crdsYaml } from './crds.ts';

it('deploy/crds.yaml is as "npm run manifests" makes it', () => {
  expect(readFileSync(new URL('../../deploy/crds.yaml', import.meta.url), 'utf8')).toBe(crdsYaml());
});
