import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { forbidden } from '../platform/errors/general.error.js';
import { ALLOW, PUBLIC } from './allow.decorator.js';
import type { Permission } from './permissions.js';
import { isNestedField, requestOf } from './request.js';

/**
 * Second global guard: denies access to a handler without @Allow. A field without it inherits the access of its parent.
 */
@Injectable()
export class PermissionGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const isField = isNestedField(context);
    const needed = this.reflector.getAllAndOverride<Permission | typeof PUBLIC | null | undefined>(
      ALLOW,
      isField ? [context.getHandler()] : [context.getHandler(), context.getClass()],
    );
    if (needed === PUBLIC || needed === null || (isField && needed === undefined)) return true;
    if (needed === undefined)
      throw new Error(`${context.getClass().name}.${context.getHandler().name} has neither @Allow nor @Public`);
    if (requestOf(context).user?.permissions.has(needed)) return true;
    throw forbidden(`This needs the permission "${needed}".`);
  }
}
