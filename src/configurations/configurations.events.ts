/** Publishes the ids of configurations whose parts, pause or policies changed. */
export const configurationsTopic = 'configurations';
