export const DATABASE_ADDRESSES = Symbol('ADDRESSES');
