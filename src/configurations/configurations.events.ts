/** Wakes with the ids of configurations of which something was changed: their parts, a pause, their policies. */
export const configurationsTopic = 'configurations';
