/** Every entity. */
export const entities = [];
