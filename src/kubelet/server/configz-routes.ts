/** /configz: the settings in effect, in the form of the file. */
import { showConfiguration } from '../kubelet-configuration/show-configuration.ts';
import type { KubeletSettings } from '../settings.ts';
import { jsonResponse } from './responses.ts';
import type { Route } from './routes.ts';

export function configzRoutes(settings: KubeletSettings): readonly Route[] {
  const answer = () => jsonResponse({ kubeletconfig: showConfiguration(settings) });
  return [{ path: '/configz', methods: ['GET'], answer }];
}
