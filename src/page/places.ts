/** Where in the document the browser's half finds things. */

/** The ground of all that is drawn. */
export const ROOT_ID = 'root';
/** The first state, as JSON. */
export const STATE_ID = 'first-state';
/** The icon of the tab. */
export const ICON_ID = 'icon';
