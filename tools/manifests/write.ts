/** `npm run manifests`: writes the generated files of `deploy/`. */
import { writeFileSync } from 'node:fs';
import { crdsYaml } from './crds.ts';
import { healerYaml } from './healer.ts';

writeFileSync(new URL('../../deploy/crds.yaml', import.meta.url), crdsYaml());
writeFileSync(new URL('../../deploy/mendlet-healer.yaml', import.meta.url), healerYaml());
