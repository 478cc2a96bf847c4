;;; configuration.el --- what the README tells a person to put into their init file  -*- lexical-binding: t -*-

(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs
               '((python-mode python-ts-mode)
                 . ("copydesk" "lsp" :initializationOptions (:copydesk (:settings (:lint "on")))))))
;;; configuration.el ends here
