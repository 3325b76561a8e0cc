/** `npm run manifests`: writes the generated files of `deploy/`. */
import { writeFileSync } from 'node:fs';
import { crdsYaml } from './crds.ts';
import { healerYaml, localVolumesYaml } from './healer.ts';

writeFileSync(new URL('../../deploy/crds.yaml', import.meta.url), crdsYaml());
writeFileSync(new URL('../../deploy/mendlet-healer.yaml', import.meta.url), healerYaml());
writeFileSync(new URL('../../deploy/mendlet-local-volumes.yaml', import.meta.url), localVolumesYaml());
