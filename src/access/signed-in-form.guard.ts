import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { CsrfService } from '../platform/http/csrf.service.js';

/** Accepts a form only from a page that was rendered for this session. */
@Injectable()
export class SignedInFormGuard implements CanActivate {
  constructor(private readonly csrf: CsrfService) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    if (!['GET', 'HEAD'].includes(request.method)) this.csrf.verify(request, request.user?.sessionId);
    return true;
  }
}
