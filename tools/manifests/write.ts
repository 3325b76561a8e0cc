/** `npm run manifests`: writes what of `deploy/` is made. */
import { writeFileSync } from 'node:fs';
import { crdsYaml } from './crds.ts';

writeFileSync(new URL('../../deploy/crds.yaml', import.meta.url), crdsYaml());
