/** `npm run manifests`: writes what of `deploy/` is made. */
import { writeFileSync } from 'node:fs';
import { crdsYaml } from './crds.ts';
import { healerYaml } from './healer.ts';

writeFileSync(new URL('../../deploy/crds.yaml', import.meta.url), crdsYaml());
writeFileSync(new URL('../../deploy/mendlet-healer.yaml', import.meta.url), healerYaml());
