/**
 * Opens the list of a MultiSelect above its field. The list stays open after a choice, and below the field it would cover
 * the rest of the form and its button.
 */
export const listAbove = { position: 'top' } as const;
