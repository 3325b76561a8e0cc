/** Which version this is: of mendlet, and of Kubernetes' API that it speaks. */
import packageFile from '../../package.json' with { type: 'json' };

export const mendletVersion: string = packageFile.version;

/** What server and node report: kubectl and others read major and minor of it. */
export const kubernetesVersion = `v1.36.2+mendlet.${mendletVersion}`;
