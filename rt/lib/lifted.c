/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "lifted.h"

#include <unwind.h>

__thread struct allocsite_site *lifted;

ALLOCSITE_EXPORT _Unwind_Reason_Code ALLOCSITE_ENTRY(personality)(int version, _Unwind_Action actions,
                                                                  _Unwind_Exception_Class class,
                                                                  struct _Unwind_Exception *exception,
                                                                  struct _Unwind_Context *context);

/* Of the program's frames without landing pads that leave a site for a wrapper: who unwinds the frame leaves
 * that call. */
_Unwind_Reason_Code ALLOCSITE_ENTRY(personality)(int version, _Unwind_Action actions,
                                                 _Unwind_Exception_Class class,
                                                 struct _Unwind_Exception *exception,
                                                 struct _Unwind_Context *context) {
    (void)version;
    (void)class;
    (void)exception;
    (void)context;
    if (actions & _UA_CLEANUP_PHASE)
        lifted = NULL;
    return _URC_CONTINUE_UNWIND;
}
